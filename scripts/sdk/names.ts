// How names of the document are written in code. Pure.

export function camel(name: string): string {
  return name.replace(/_(\w)/g, (_, letter) => letter.toUpperCase())
}

export function pascal(name: string): string {
  return name.charAt(0).toUpperCase() + camel(name.slice(1))
}
