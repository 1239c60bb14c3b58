// Every character there is, and how a test names one.

/** Code points that stand for nothing, or for what somebody has agreed, are no characters. */
const CHARACTER = /[^\p{Cn}\p{Co}\p{Cs}]|\p{Default_Ignorable_Code_Point}/u

export const everyCharacter: readonly string[] = Array.from({ length: 0x110000 }, (_, point) =>
  String.fromCodePoint(point),
).filter(character => CHARACTER.test(character))

export const named = (text: string) =>
  Array.from(text, c => `U+${(c.codePointAt(0) ?? 0).toString(16).toUpperCase()}`).join(' ')
