// Each fault of the test bank, those of SFTP over it, from the payouts to the end: what becomes of three payments, of
// their file and of what the bank sends, and how often the bank has paid each. The first of the three
// is paid, the second rejected, the third returned.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { FAULTS, type Fault } from '../../examples/bank/faults.ts'
import type { FileState } from '../../src/adapters/bank-file/file-store.ts'
import { listInbox, listSetAsideLines } from '../../src/adapters/bank-file/inbox-store.ts'
import type { PayoutStatus } from '../../src/payouts/states.ts'
import { openSftpBank, type SftpBank } from '../support/bank/sftp-bank.ts'
import { closeExceptionOf } from '../support/service/payouts.ts'
import { startTestService } from '../support/service/service.ts'
import { share } from '../support/share.ts'

const AMOUNTS = [10_000, 1_009_104, 1_009_207]

type Three<T> = readonly [T, T, T]

/** How it ends. */
interface End {
  readonly payouts: Three<PayoutStatus>
  /** How often the bank has paid each. */
  readonly paid: Three<number>
  /** The exception of each payout that is open, '' for none. */
  readonly exceptions: Three<string>
  /** The payouts once a person has closed the exceptions, and what is open then. */
  readonly closed?: { readonly payouts: Three<PayoutStatus>; readonly exceptions: Three<string> }
  readonly file: FileState
  readonly uploads: number
  /** Files of the bank that are read, and why others are not. */
  readonly read: number
  readonly quarantined: readonly RegExp[]
  /** Why lines of files are set aside. */
  readonly aside: readonly RegExp[]
}

const NONE: Three<string> = ['', '', '']

const NORMAL: End = {
  payouts: ['succeeded', 'failed', 'reversed'],
  paid: [1, 0, 1],
  exceptions: NONE,
  file: 'acknowledged',
  uploads: 1,
  // A pain.002, debits and returns in a camt.054 each, and a camt.053.
  read: 4,
  quarantined: [],
  aside: [],
}

interface Course extends Partial<End> {
  /** Faults that the bank has besides. */
  readonly with?: readonly Fault[]
  /** What happens before both work until the end. */
  readonly first?: (bank: SftpBank) => Promise<void>
}

const fourTimes = (reason: RegExp) => [reason, reason, reason, reason]

const COURSES: Readonly<Record<Fault, Course>> = {
  'sweep-at-once': {},
  'lose-rename': { uploads: 2, first: loseRename },
  'disk-full': { uploads: 2, first: fillDisk },
  'other-host-key': { first: changeHostKey },
  // What is rejected and told of by nobody waits: silence fails no payment.
  'drop-report': { payouts: ['succeeded', 'processing', 'reversed'], read: 3 },
  // The same bytes under another name are here already.
  'repeat-report': {},
  'repeat-message': { read: 8 },
  'half-file': { quarantined: fourTimes(/^line 2: the file is cut off inside/) },
  'wrong-encoding': { quarantined: fourTimes(/^line 1: bytes from this line on are not utf-8/) },
  doctype: { quarantined: fourTimes(/^line 1: a DOCTYPE is not read/) },
  // On the notification and on the statement.
  'unknown-id': { aside: [/id NOBODYKNOWSTHIS$/, /id NOBODYKNOWSTHIS$/] },
  'not-provided': {},
  'other-amount': {
    payouts: ['processing', 'failed', 'reversed'],
    exceptions: ['amount_differs', '', ''],
    closed: { payouts: ['processing', 'failed', 'reversed'], exceptions: NONE },
  },
  'short-return': {},
  'two-returns': {
    payouts: ['succeeded', 'failed', 'succeeded'],
    exceptions: ['', '', 'second_return'],
    closed: { payouts: ['succeeded', 'failed', 'reversed'], exceptions: NONE },
  },
  'early-return': {},
  'group-rjct': {
    payouts: ['processing', 'processing', 'processing'],
    paid: [0, 0, 0],
    file: 'rejected',
    read: 1,
  },
  'group-rjct-but-one': {
    payouts: ['processing', 'failed', 'processing'],
    exceptions: ['contradiction', '', 'contradiction'],
    // One debit is on the statement; the other came back.
    closed: {
      payouts: ['processing', 'failed', 'processing'],
      exceptions: ['rejected_but_booked', '', ''],
    },
  },
  'part-rejects-only': {},
  'late-rjct': { payouts: ['failed', 'failed', 'reversed'], paid: [0, 0, 1], read: 6 },
  'rjct-after-booking': {
    payouts: ['succeeded', 'failed', 'reversed'],
    exceptions: ['rejected_but_booked', '', ''],
    closed: { payouts: ['reversed', 'failed', 'reversed'], exceptions: NONE },
    read: 6,
  },
  // The account has its money back: a person stops the payment at the bank.
  'acsp-after-rjct': {
    payouts: ['failed', 'failed', 'reversed'],
    exceptions: ['paid_after_rejection', '', ''],
    paid: [0, 0, 1],
    read: 6,
  },
  'strange-codes': {},
  'several-accounts': {},
  // It would pay the file again: it is not sent again, though nobody knows that it has arrived.
  'no-duplicate-check': { uploads: 2, with: ['lose-rename'], first: sweepBeforeItIsKnown },
}

const NAMES = Object.keys(FAULTS) as Fault[]

/** What only SFTP shows; in the long run all go over it. */
const OF_SFTP = [
  ...(['sweep-at-once', 'lose-rename', 'disk-full'] as const),
  ...(['other-host-key', 'no-duplicate-check'] as const),
]
const BY_SFTP: readonly Fault[] = share(OF_SFTP, NAMES)

const banks = new Map<Fault, SftpBank>()
const payouts = new Map<Fault, readonly string[]>()

const service = await startTestService()
for (const [i, name] of NAMES.entries()) {
  const { with: more = [] } = COURSES[name]
  const later = name === 'other-host-key'
  const bank = await openSftpBank(service, {
    name: `bank_${i}`,
    iban: `DE89${String(i).padStart(18, '0')}`,
    faults: later ? [] : [name, ...more],
    by: BY_SFTP.includes(name) ? 'sftp' : 'folder',
  })
  banks.set(name, bank)
  payouts.set(name, await bank.pay(AMOUNTS))
}
after(async () => {
  await Promise.all([...banks.values()].map(bank => bank.close()))
  await service.close()
})

for (const name of NAMES) {
  test(`test bank, ${name}: the bank ${FAULTS[name]}`, async () => {
    const bank = banks.get(name)
    assert.ok(bank)
    const { with: _, first, closed, ...course } = COURSES[name]
    await first?.(bank)
    await bank.settleAll()
    const ids = payouts.get(name) ?? []
    await checkEnd(bank, ids, { ...NORMAL, ...course })
    if (closed === undefined) return
    await closeExceptions(bank, ids)
    assert.deepEqual(
      { payouts: await statusesOf(bank, ids), exceptions: await exceptionsOf(ids) },
      closed,
    )
  })
}

const statusesOf = (bank: SftpBank, ids: readonly string[]) =>
  Promise.all(ids.map(id => bank.statusOf(id)))

async function checkEnd(bank: SftpBank, ids: readonly string[], end: End): Promise<void> {
  const items = await bank.items()
  const times = bank.bank().ledger.timesPaid()
  const paid = ids.map(id => {
    const item = items.find(({ payout_id }) => payout_id === id)
    return times.get(item?.end_to_end_id ?? '') ?? 0
  })
  assert.deepEqual(paid, end.paid, 'paid by the bank')
  assert.equal(
    [...times.values()].reduce((sum, each) => sum + each, 0),
    end.paid.reduce((sum, each) => sum + each, 0),
    'paid by the bank, to whomever',
  )
  assert.deepEqual(await statusesOf(bank, ids), end.payouts)
  assert.deepEqual(await exceptionsOf(ids), end.exceptions)
  const { state, uploads } = await bank.onlyFile()
  assert.deepEqual([state, uploads], [end.file, end.uploads])
  const of_rail = { rail: bank.name, limit: 100 }
  const inbox = await listInbox(service.deps.sql, of_rail)
  assert.equal(inbox.filter(({ state }) => state === 'read').length, end.read, 'files read')
  const reasons = inbox.filter(({ state }) => state !== 'read').map(({ reason }) => reason)
  assertMatches(reasons, end.quarantined)
  const lines = await listSetAsideLines(service.deps.sql, { ...of_rail, all: true })
  assertMatches(
    lines.map(({ reason }) => reason),
    end.aside,
  )
  assert.equal(await bank.problem(), '')
}

function assertMatches(texts: readonly string[], expected: readonly RegExp[]): void {
  assert.equal(texts.length, expected.length, texts.join('; '))
  for (const [i, pattern] of expected.entries()) assert.match(texts[i] ?? '', pattern)
}

/** The open exception of each payout, '' for none. */
async function exceptionsOf(ids: readonly string[]): Promise<string[]> {
  const rows = await service.database.owner<{ payout_id: string; kind: string }[]>`
    select payout_id, kind from rail_exceptions where closed_at is null order by number`
  const kindsOf = (id: string) => rows.filter(row => row.payout_id === id).map(({ kind }) => kind)
  return ids.map(id => kindsOf(id).join(' '))
}

/** As a person does who has asked the bank. */
async function closeExceptions(bank: SftpBank, ids: readonly string[]): Promise<void> {
  for (const id of ids) await closeExceptionOf(service, bank.client, id, 1)
  await bank.settle()
}

/** The file has its name, and nobody here knows: the next look finds it. */
async function loseRename(bank: SftpBank): Promise<void> {
  await bank.round()
  assert.match(await bank.problem(), /could not name .*: the connection was lost$/)
  const { state, name } = await bank.onlyFile()
  assert.deepEqual([state, await bank.waiting()], ['uploading', [name]])
  await bank.afterFailure()
  assert.deepEqual([(await bank.onlyFile()).state, await bank.waiting()], ['sent', [name]])
}

/** The bank has taken the file before that look. */
async function sweepBeforeItIsKnown(bank: SftpBank): Promise<void> {
  await bank.round()
  assert.equal((await bank.onlyFile()).state, 'uploading')
  await bank.bank().work()
  await bank.afterFailure()
  const { state, reason } = await bank.onlyFile()
  assert.deepEqual([state, await bank.waiting()], ['unknown', []])
  assert.match(reason, /^it may have arrived: ask the bank, or wait for its report/)
}

/** What was begun is taken away, so that it fills no disk. */
async function fillDisk(bank: SftpBank): Promise<void> {
  await bank.round()
  assert.match(await bank.problem(), /could not write .*\.tmp: Failure$/)
  assert.deepEqual([(await bank.onlyFile()).state, await bank.waiting()], ['uploading', []])
  await bank.bank().work()
  assert.deepEqual(bank.bank().ledger.lines, [])
  await bank.afterFailure()
}

/** Nothing is sent until the bank has the key again that it is known by. */
async function changeHostKey(bank: SftpBank): Promise<void> {
  await bank.restart('other-host-key')
  await bank.round()
  assert.match(await bank.problem(), / has the host key SHA256:.* ask the bank before you set/)
  assert.deepEqual([(await bank.onlyFile()).state, await bank.waiting()], ['sealed', []])
  await bank.restart()
  await bank.afterFailure()
}
