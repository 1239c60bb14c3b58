// Writes the names of openapi.json as the clients write them. Pure.

export function camel(name: string): string {
  return name.replace(/_(\w)/g, (_, letter) => letter.toUpperCase())
}

export function pascal(name: string): string {
  return name.charAt(0).toUpperCase() + camel(name.slice(1))
}

/** Reserved words of Python that openapi.json may use as names. */
const WORDS = new Set('from import class def in is not pass with as or'.split(' '))

export function pythonName(name: string): string {
  const plain = name.replaceAll('.', '_')
  return WORDS.has(plain) ? `${plain}_` : plain
}
