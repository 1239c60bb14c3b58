// Makes the ids that banks give back: digits and capitals, which no bank cuts or changes, in the
// order of their time. Constraints of their tables keep them unique for ever.
import { base32, randomText } from '../id.ts'

/** 7 characters of seconds since 1970, then 8 random ones: 40 bits. */
export function newEndToEndId(): string {
  const seconds = Math.floor(Date.now() / 1000)
  const time = base32(Math.floor(seconds / 2 ** 25), 2) + base32(seconds % 2 ** 25, 5)
  return (time + randomText(8)).toUpperCase()
}

/** 16 characters. The first is a letter, as some banks read an id of digits as a number. */
export function newMessageId(): string {
  return `C${newEndToEndId()}`
}
