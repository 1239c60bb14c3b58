// Names of any script become comparable words.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { joinShort, wordsOf } from './words.ts'

test('words of a name: lower-case Latin letters, accents and marks removed', () => {
  const rows: readonly (readonly [name: string, words: string])[] = [
    ['José  María ÁLVAREZ-Peña', 'jose maria alvarez pena'],
    ["Seán O'Neill", 'sean oneill'],
    ['Seán O’Neill', 'sean oneill'],
    ['Petropars S.A.', 'petropars sa'],
    ['Владимир Путин', 'vladimir putin'],
    ['Ελλάδα', 'ellada'],
    ['محمد', 'mhmd'],
    ['习近平', 'xi jin ping'],
    ['ＡＢＣ Ｔｒａｄｉｎｇ', 'abc trading'],
    ['7th of Tir', '7th of tir'],
    ['Vla\u{E0041}di\u{E0042}mir P\u200Bu\u00ADtin', 'vladimir putin'],
    ['Vladimir \u0420utin', 'vladimir putin'],
    ['\u041D\u0410MAS \u0425ezb\u0443', 'hamas xezby'],
    ['B\u03A1 \u03A7enon', 'bp xenon'],
    ['Сергей Рутин', 'sergey rutin'],
    [' . - ', ''],
    ['', ''],
  ]
  for (const [name, words] of rows) assert.equal(wordsOf(name).join(' '), words, name)
})

test('joinShort, short word: joined to the next word; the last word: left alone', () => {
  const rows: readonly (readonly [words: string, joined: string])[] = [
    ['osama bin laden', 'osama binladen'],
    ['abd al rahman', 'abdalrahman'],
    ['kim jong un', 'kimjong un'],
    ['tariq ali', 'tariq ali'],
    ['al', 'al'],
  ]
  for (const [words, joined] of rows) {
    assert.equal(joinShort(words.split(' ')).join(' '), joined, words)
  }
})
