// corridor file: each command by the real command line, on files of a rail whose bank is the test itself.
// What is refused changes nothing, and of two people who do the same at once one does it.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { after, test } from 'node:test'
import { findFile, type RailFile } from '../../src/adapters/bank-file/file-store.ts'
import type { BankLine } from '../../src/values/bank-format/bank-format.ts'
import { type FileRailWorld, openFileWorld, type WorldOptions } from '../support/bank/file-rail.ts'
import { type Cli, type CommandResult, openCli } from '../support/service/cli.ts'
import { startTestService } from '../support/service/service.ts'

const NOBODY = 'C0000000000000NO'
const REASON = ['--reason', 'Ms Ito has said so']

const worlds: FileRailWorld[] = []
const service = await startTestService()
const ann = await openCli(service.database.url, { CORRIDOR_USER: 'ann' })
const ben = await openCli(service.database.url, { CORRIDOR_USER: 'ben' })
const nobody = await openCli(service.database.url)
after(async () => {
  await Promise.all([ann, ben, nobody].map(cli => cli.close()))
  await Promise.all(worlds.map(world => world.close()))
  await service.close()
})

const BY_PERSON: WorldOptions = { profile: { release_by_person: true } }

async function world(options: WorldOptions = {}): Promise<FileRailWorld> {
  const opened = await openFileWorld(service, { name: `bank_${worlds.length}`, ...options })
  worlds.push(opened)
  return opened
}

/** A rail whose payouts of these amounts stand in one file, which is sent unless a person has to. */
async function filed(amounts: readonly number[], options: WorldOptions = {}) {
  const bank = await world(options)
  const ids = await bank.pay(amounts)
  await bank.work()
  return { bank, ids, file: await bank.onlyFile() }
}

const stateOf = async ({ msg_id }: RailFile) => (await findFile(service.deps.sql, msg_id))?.state

/** Every row of the tables of files, to see that nothing was written. */
async function rows(): Promise<string> {
  const { owner } = service.database
  const all = await Promise.all([
    owner`select msg_id, state, reason, approved_by, uploads from rail_files order by msg_id`,
    owner`select end_to_end_id, msg_id from rail_items order by end_to_end_id`,
    owner`select encode(sha256, 'hex') as sha256, state from rail_inbox order by sha256`,
    owner`select encode(sha256, 'hex') as sha256, position, closed_by, note from rail_inbox_lines
      order by sha256, position`,
  ])
  return JSON.stringify(all)
}

async function refused(code: number, words: RegExp, cli: Cli, ...args: string[]): Promise<void> {
  const before = await rows()
  const ran = await cli.run('file', ...args)
  assert.deepEqual([ran.code, ran.stdout], [code, ''], args.join(' '))
  assert.match(ran.stderr, words)
  assert.equal(await rows(), before, args.join(' '))
}

/** The same command by two people at once: the one that did it, and the one that was refused. */
async function both(...args: string[]): Promise<{ done: CommandResult; refused: CommandResult }> {
  const ran = await Promise.all([ann, ben].map(cli => cli.run('file', ...args)))
  const done = ran.filter(({ code }) => code === 0)
  const others = ran.filter(({ code }) => code === 1)
  assert.deepEqual([done.length, others.length], [1, 1], ran.map(({ stderr }) => stderr).join())
  return { done: done[0] as CommandResult, refused: others[0] as CommandResult }
}

test('corridor file commands, unknown file: refused, naming the list command', async () => {
  const commands = [
    ['show', NOBODY],
    ['content', NOBODY],
    ['release', NOBODY, '--sha256', 'a'.repeat(64)],
    ['resend', NOBODY, ...REASON],
    ['withdraw', NOBODY, ...REASON],
    ['reseal', NOBODY, ...REASON],
  ]
  for (const args of commands) {
    await refused(1, /there is no file C0000000000000NO; corridor file list shows/, ann, ...args)
  }
  for (const args of [
    ['read', 'abcdef'],
    ['close', 'abcdef', '--note', 'x'],
  ]) {
    await refused(1, /there is no file abcdef; corridor file quarantine lists/, ann, ...args)
  }
})

test('corridor file list and show: files by rail and state; show prints their exact bytes', async () => {
  const { bank, file, ids } = await filed([1_234, 66], BY_PERSON)
  const list = await ann.run('file', 'list', '--rail', bank.name)
  assert.match(
    list.stdout,
    new RegExp(`${file.msg_id} +${bank.name} +to be released +2 +USD 13\\.00`),
  )
  const of = async (...more: string[]) =>
    (await ann.run('file', 'list', '--rail', bank.name, '--json', ...more)).json.results
  assert.equal((await of('--state', 'sealed'))[0].sha256, file.sha256)
  assert.deepEqual(await of('--state', 'sent'), [])
  assert.match((await ann.run('file', 'list', '--rail', 'none')).stdout, /^no file$/m)
  await refused(
    2,
    /'seald' is invalid\. Allowed choices are sealed/,
    ann,
    'list',
    '--state',
    'seald',
  )
  const show = await ann.run('file', 'show', file.msg_id)
  for (const words of [file.sha256, ...ids, 'USD 12.34'])
    assert.ok(show.stdout.includes(words), words)
  const { payments } = (await ann.run('file', 'show', file.msg_id, '--json')).json
  assert.deepEqual(payments.map(({ amount }: { amount: number }) => amount).sort(), [1_234, 66])
  const { stdout } = await ann.run('file', 'content', file.msg_id)
  assert.equal(createHash('sha256').update(stdout).digest('hex'), file.sha256)
  const { json } = await ann.run('file', 'content', file.msg_id, '--json')
  assert.deepEqual([json.sha256, json.content], [file.sha256, stdout])
})

test("corridor file release: by its hash, under a person's name, once; payments already ended need --force", async () => {
  const { bank, file } = await filed([100], BY_PERSON)
  const release = (sha256: string) => ['release', file.msg_id, '--sha256', sha256]
  await refused(2, /--sha256 "abc" has another form, such as 9f86d081/, ann, ...release('abc'))
  await refused(1, /has another hash: nothing was released/, ann, ...release('0'.repeat(64)))
  await refused(2, /say who you are by CORRIDOR_USER/, nobody, ...release(file.sha256))
  const { done, refused: other } = await both(...release(file.sha256.toUpperCase()))
  assert.match(done.stdout, /released by (ann|ben); it is sent now/)
  assert.match(other.stderr, /it was released before|released by somebody else at this moment/)
  assert.equal(await stateOf(file), 'approved')
  await refused(1, /is approved: it was released before/, ann, ...release(file.sha256))
  await bank.work()
  assert.equal((await bank.outbox()).length, 1)
})

test('corridor file withdraw, one payout has ended: release refused; the other payments go into the next file', async () => {
  const { bank, file, ids } = await filed([100, 200], BY_PERSON)
  await bank.move(ids[0] ?? '', 'failed')
  const release = ['release', file.msg_id, '--sha256', file.sha256]
  await refused(1, new RegExp(`must not be sent: .*${ids[0]}.*force`), ann, ...release)
  await refused(
    2,
    /--reason: reason must not be blank/,
    ann,
    'withdraw',
    file.msg_id,
    '--reason',
    ' ',
  )
  await refused(2, /say who you are/, nobody, 'withdraw', file.msg_id, ...REASON)
  const { done } = await both('withdraw', file.msg_id, ...REASON)
  assert.match(done.stdout, /1 payment goes into the next file; 1 stay here/)
  await nextFile(bank)
  const next = (await bank.items()).map(({ msg_id }) => msg_id).filter(id => id !== file.msg_id)
  assert.equal(next.length, 1)
  assert.match(next[0] ?? '', /^[0-9A-Z]{16}$/)
})

test('corridor file resend: same bytes, same name; --force required if the bank may pay twice', async () => {
  const { bank, file } = await filed([100])
  assert.equal(file.state, 'sent')
  const [sent] = await bank.outbox()
  await bank.sweep()
  await refused(
    1,
    /may pay it twice, as its profile says: ask the bank/,
    ann,
    'resend',
    file.msg_id,
    ...REASON,
  )
  const force = ['resend', file.msg_id, '--force', ...REASON]
  await refused(2, /say who you are/, nobody, ...force)
  const { done, refused: other } = await both(...force)
  assert.match(done.stdout, /is sent again, as it is/)
  assert.match(other.stderr, /has changed at this moment|is uploading: there is nothing to send/)
  assert.match((await findFile(service.deps.sql, file.msg_id))?.reason ?? '', /^(ann|ben): Ms Ito/)
  await bank.work()
  assert.deepEqual(await bank.outbox(), [sent])
  const sealed = await filed([100], BY_PERSON)
  const again = ['resend', sealed.file.msg_id, ...REASON, '--force']
  await refused(1, /is sealed: there is nothing to send again/, ann, ...again)
  await refused(
    1,
    /is sent, or is sent at this moment: it stays/,
    ann,
    'withdraw',
    file.msg_id,
    ...REASON,
  )
})

/** What was put back has missed its slot, and is sealed in the one after it. */
async function nextFile(bank: FileRailWorld): Promise<void> {
  await bank.work()
  await bank.work()
}

const REFUSED: Partial<BankLine> = { level: 'file', code: 'RJCT', reasons: ['FF10'] }

test('corridor file reseal, file refused by the bank: allowed once, payments keep their ids', async () => {
  const { bank, file } = await filed([100, 200])
  await refused(1, /is sent: the bank has not refused it/, ann, 'reseal', file.msg_id, ...REASON)
  const before = (await bank.items()).map(({ end_to_end_id }) => end_to_end_id).sort()
  await bank.report([{ ...REFUSED, msg_id: file.msg_id }])
  await bank.work()
  assert.equal(await stateOf(file), 'rejected')
  await refused(2, /say who you are/, nobody, 'reseal', file.msg_id, ...REASON)
  const again = ['resend', file.msg_id, ...REASON, '--force']
  await refused(1, /reseal it, and its payments go into another/, ann, ...again)
  const reseal = await ann.run('file', 'reseal', file.msg_id, ...REASON, '--json')
  assert.deepEqual(reseal.json, { file: file.msg_id, payments: 2, left_out: 0 })
  await refused(1, /has no payment any more/, ben, 'reseal', file.msg_id, ...REASON)
  await nextFile(bank)
  const items = await bank.items()
  assert.deepEqual(items.map(({ end_to_end_id }) => end_to_end_id).sort(), before)
  assert.ok(items.every(({ msg_id }) => msg_id !== '' && msg_id !== file.msg_id))
})

test('corridor file quarantine, read, close: lists unapplied files, reads one again, closes one', async () => {
  const { bank, file } = await filed([100])
  const words = await ann.run('file', 'quarantine', '--rail', bank.name)
  assert.equal(words.stdout, 'no file is quarantined\n\nno line is set aside\n')
  await bank.report('half of a file', 'half.txt')
  const stray = { level: 'transaction', code: 'RJCT', end_to_end_id: 'NOBODYS00000001' } as const
  await bank.report(
    [
      { ...stray, position: '1' },
      { ...stray, position: '2' },
    ],
    'strays.txt',
  )
  await bank.work()
  const shown = (await ann.run('file', 'quarantine', '--rail', bank.name, '--json')).json
  const [half] = shown.files
  const [line] = shown.lines
  assert.deepEqual([half.name, half.state, shown.lines.length], ['half.txt', 'quarantined', 2])
  const listed = await ann.run('file', 'quarantine', '--rail', bank.name)
  assert.match(listed.stdout, /half\.txt .*line 1: no JSON/)
  assert.match(listed.stdout, /strays\.txt +line 1 +no payment has the id NOBODYS00000001/)
  await refused(2, /not the beginning of a sha256/, ann, 'read', 'xyz')
  await refused(1, /strays\.txt cannot be read again: it is read/, ann, 'read', line.sha256)
  const { done } = await both('read', half.sha256.slice(0, 12))
  assert.match(done.stdout, /half\.txt {2}is read again by the running service/)
  const close = ['close', line.sha256.slice(0, 12), '--note', 'A fee of the bank']
  await refused(2, /say who you are/, nobody, ...close)
  await refused(2, /--note must not be blank/, ann, 'close', line.sha256, '--note', ' ')
  await refused(
    1,
    /file strays\.txt has no open line at position "line 7"/,
    ann,
    ...close,
    '--position',
    'line 7',
  )
  const one = await both(...close, '--position', 'line 1')
  assert.match(one.done.stdout, /strays\.txt {2}one line is closed/)
  const { code, stdout } = await ann.run('file', ...close)
  assert.deepEqual([code, stdout], [0, 'strays.txt  one line is closed\n'])
  await refused(1, /file strays\.txt has no open line\n/, ann, ...close)
  const all = await ann.run('file', 'quarantine', '--rail', bank.name, '--all')
  assert.match(all.stdout, /\((ann|ben): A fee of the bank\)/)
  assert.equal(await stateOf(file), 'sent')
})

/** What the audit log has of a file of this id, oldest first: who did what, and what the row became. */
async function actsOn(id: string) {
  type Listed = { changed_by: string; act: string; after: Record<string, string> }[]
  const listed: Listed = (await ann.run('audit', 'list', '--id', id, '--json')).json
  return listed
    .map(({ changed_by, act, after }) => `${changed_by}: ${act}: ${after.closed_by || after.state}`)
    .reverse()
}

test('corridor file commands: in the audit log with the person; work of the service is not', async () => {
  const { bank, file } = await filed([100], BY_PERSON)
  const by = (cli: Cli, ...args: string[]) => cli.run('file', ...args)
  await by(ann, 'release', file.msg_id, '--sha256', file.sha256)
  await bank.work()
  await bank.sweep()
  await by(ben, 'resend', file.msg_id, '--force', ...REASON)
  await bank.work()
  await bank.report([{ ...REFUSED, msg_id: file.msg_id }])
  await bank.report('another half of a file', 'half.txt')
  await bank.report([{ level: 'transaction', code: 'RJCT', end_to_end_id: 'NOBODYS00000002' }], 's')
  await bank.work()
  await by(ann, 'reseal', file.msg_id, ...REASON)
  assert.deepEqual(await actsOn(file.msg_id), [
    'ann: file release: approved',
    'ben: file resend: uploading',
    'ann: file reseal: rejected',
  ])
  const { files, lines } = (await ann.run('file', 'quarantine', '--rail', bank.name, '--json')).json
  const [half, strays] = [files[0].sha256, lines[0].sha256]
  await by(ben, 'read', half)
  await bank.work()
  await by(ann, 'close', half, '--note', 'Asked for another one')
  await by(ben, 'close', strays, '--note', 'Nothing of ours')
  assert.deepEqual(await actsOn(half), ['ben: file read: stored', 'ann: file close: ann'])
  assert.deepEqual(await actsOn(strays), ['ben: file close: ben'])
  const withdrawn = await filed([100], BY_PERSON)
  await by(ann, 'withdraw', withdrawn.file.msg_id, ...REASON)
  assert.deepEqual(await actsOn(withdrawn.file.msg_id), ['ann: file withdraw: withdrawn'])
})
