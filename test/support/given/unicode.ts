// Every character there is, and how a test names one.

const SURROGATES = [0xd800, 0xdfff] as const

export const everyCharacter: readonly string[] = Array.from(
  { length: 0x110000 },
  (_, point) => point,
)
  .filter(point => point < SURROGATES[0] || point > SURROGATES[1])
  .map(point => String.fromCodePoint(point))

export const named = (text: string) =>
  Array.from(text, c => `U+${(c.codePointAt(0) ?? 0).toString(16).toUpperCase()}`).join(' ')
