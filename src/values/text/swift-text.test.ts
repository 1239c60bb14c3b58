// Tests the conversion of letters, marks and line breaks to SWIFT's X set, and the breaking of
// lines.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { swiftLines, swiftText } from './swift-text.ts'

test('swiftText, every character: a character of the SWIFT X set', () => {
  const cases = [
    [
      'Łódź, Škoda, Đorđe, Ærø, Þór, Œuvre, İstanbul ığ',
      'Lodz, Skoda, Dorde, AEro, THor, OEuvre, Istanbul ig',
    ],
    ['STRAẞE Straße', 'STRASSE Strasse'],
    ['Щукин Ёлкин Київ Цой', 'SHCHukin Elkin Kiiv TSoi'],
    ['Αθήνα Ψυχή', 'Athina PSychi'],
    ['Nguyễn Văn Đức', 'Nguyen Van Duc'],
    ['O’Neill “Quoted” — 5 % @home #1 {a}[b]', "O'Neill .Quoted. - 5 . .home .1 (a)(b)"],
    ['ＡＢＣ １２３ ﬁn №5', 'ABC 123 fin No5'],
    ['香港 한국 😀', '.. .. .'],
    ['a\r\n:20:X\r\n-}\tb\u2028c', 'a :20:X -) b c'],
    ['zero\u200bwidth\u202e', 'zerowidth'],
    ['lone \ud800 half', 'lone . half'],
    ['  \u0301 ', ''],
  ] as const
  for (const [text, expected] of cases) assert.equal(swiftText(text), expected)
  assert.deepEqual(swiftLines(':a', 4), ['.a'])
  assert.deepEqual(swiftLines(`${'x'.repeat(35)}-${'y'.repeat(40)}`, 3), [
    'x'.repeat(35),
    `.${'y'.repeat(34)}`,
    'y'.repeat(6),
  ])
})
