// Every state of a file with every answer of its bank.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FILE_STATES, type FileState } from './file-store.ts'
import { answerOf, isRepetition } from './match.ts'

const MSG_ID = 'C000000000000000'

const ANSWERS = {
  received: { level: 'group', code: 'ACTC', reasons: [] },
  accepted: { level: 'group', code: 'ACCP', reasons: [] },
  partly: { level: 'group', code: 'PART', reasons: [] },
  refused: { level: 'group', code: 'RJCT', reasons: ['AC06'] },
  repeated: { level: 'group', code: 'RJCT', reasons: ['DU01'] },
  'an attempt repeated': { level: 'group', code: 'RJCT', reasons: ['AM05'] },
  booked: { level: 'booking', code: 'BOOK', reasons: [] },
} as const
type AnswerName = keyof typeof ANSWERS

/** The file's next state, or `aside`, by its state and the number of its offers. */
function expected(name: AnswerName, state: FileState, offers: number) {
  if (offers === 0) return 'aside'
  const goes_on = name === 'accepted' || name === 'booked'
  if (state === 'rejected' && goes_on) return 'aside'
  if (name === 'refused') return 'rejected'
  if (name === 'repeated' || name === 'an attempt repeated') {
    return offers > 1 ? 'acknowledged' : 'rejected'
  }
  return 'acknowledged'
}

for (const name of Object.keys(ANSWERS) as AnswerName[]) {
  test(`fileState, bank answers ${name}, each state of the file, file offered never, once or twice: the expected state`, () => {
    for (const state of FILE_STATES) {
      for (const offers of [0, 1, 2]) {
        const said = { ...ANSWERS[name], text: '', payment_information_id: '' }
        const answer = answerOf({ msg_id: MSG_ID, state, offers }, said, {})
        const found = typeof answer === 'string' ? 'aside' : answer.state
        assert.equal(found, expected(name, state, offers), `${state}, ${offers} times`)
      }
    }
  })
}

test('fileState, bank refuses one block of a file: the file has arrived', () => {
  const said = { ...ANSWERS.refused, text: '', payment_information_id: `${MSG_ID}-1` }
  for (const state of ['uploading', 'sent', 'unknown', 'acknowledged'] as const) {
    const answer = answerOf({ msg_id: MSG_ID, state, offers: 1 }, said, {})
    assert.equal(typeof answer === 'string' ? answer : answer.state, 'acknowledged')
  }
})

test("fileState, status code that the bank's profile maps to a refusal: the file is refused", () => {
  const said = { ...ANSWERS.accepted, code: 'ACWC', text: '', payment_information_id: '' }
  const file = { msg_id: MSG_ID, state: 'sent', offers: 1 } as const
  const answer = answerOf(file, said, { ACWC: 'cancelled' })
  assert.equal(typeof answer === 'string' ? answer : answer.state, 'rejected')
})

test('isRepetition, reasons of a refused file: only codes for a duplicate file make it a repetition', () => {
  assert.deepEqual(
    ['RJCT DU01', 'RJCT AC06', 'RJCT AM05 twice', ''].map(reason => isRepetition({ reason })),
    [true, false, true, false],
  )
})
