// Five ways to mistype a name, each at a random place.
import { pick, type Random } from './random.ts'

export type Mistype = (name: string, random: Random) => string

const LETTERS = 'abcdefghijklmnopqrstuvwxyz'.split('')

/** Replaces `length` letters at a random place of a word with three or more letters. */
function change(length: number, write: (letters: string, random: Random) => string): Mistype {
  return (name, random) => {
    const places = Array.from(name.matchAll(/\p{L}{3,}/gu)).flatMap(({ 0: word, index }) =>
      Array.from({ length: word.length - length + 1 }, (_, i) => index + i),
    )
    if (places.length === 0) return name
    const at = pick(random, places)
    const letters = name.slice(at, at + length)
    return name.slice(0, at) + write(letters, random) + name.slice(at + length)
  }
}

export const TYPING_ERRORS: Readonly<Record<string, Mistype>> = {
  'a letter left out': change(1, () => ''),
  'a letter too many': change(1, (letter, random) => letter + pick(random, LETTERS)),
  'a wrong letter': change(1, (letter, random) =>
    pick(
      random,
      LETTERS.filter(other => other !== letter.toLowerCase()),
    ),
  ),
  'two letters swapped': change(2, letters => `${letters.charAt(1)}${letters.charAt(0)}`),
  'a space left out': (name, random) => {
    const spaces = Array.from(name.matchAll(/(?<=\p{L}) (?=\p{L})/gu), ({ index }) => index)
    if (spaces.length === 0) return name
    const at = pick(random, spaces)
    return name.slice(0, at) + name.slice(at + 1)
  },
}
