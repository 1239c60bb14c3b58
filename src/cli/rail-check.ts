// corridor rail check: runs the checks of the protocol against a connector, asks the chain of a
// rail on one, and tries a rail of files with the payouts of its routes.
import type { Command } from 'commander'
import { type Checked, type CheckResult, runEach } from '../adapters/checks.ts'
import { allChecks } from '../adapters/connector/check/all.ts'
import { type CheckReport, type KeptPayment, runChecks } from '../adapters/connector/check/check.ts'
import type { ProbeOptions } from '../adapters/connector/check/probe.ts'
import { readConfig, readSecrets } from '../adapters/connector/config.ts'
import { ANSWER_WITHIN_MS } from '../adapters/connector/protocol.ts'
import { readConfig as readChainConfig } from '../adapters/evm/config.ts'
import { openSigner } from '../adapters/evm/open-signer.ts'
import { type OpenChain, openChain } from '../adapters/evm/quorum.ts'
import { chainChecks } from '../adapters/evm/rail-checks.ts'
import { findWallets } from '../adapters/evm/wallet-store.ts'
import type { RailRow } from '../rails/kind.ts'
import { listRails } from '../rails/row-store.ts'
import { addCommand, print, running, withContext } from './context.ts'
import { NotFound, readOrRefuse, UsageError } from './failure.ts'
import { readInput } from './input.ts'
import { triedWords, tryRail } from './rail-carriage.ts'
import { columnsOfTerminal, visible, wrapped } from './terminal.ts'

interface CheckOptions {
  readonly secret?: string
  readonly order?: string
  readonly since?: string
  readonly watchS: string
  readonly thisPays?: boolean
}

const HELP = `
It sends payments of some 10.00: check a test environment, or name accounts that
may be paid by --order. A rail is checked with --this-pays alone, as payouts of
live accounts may go to it. The last two digits of an amount choose its course:
docs/connect-a-provider.md lists them. Keep the report of --json: with --since a
later run asks whether all payments of it are still known, as after a restart.
Exit code 1 when a check fails.

A rail on a chain pays nothing: the check asks its providers about chain, heads,
finality, tokens, balances and numbers, and lets each signer sign a message that
no chain takes as a transaction.

A rail of files gets no orders. The check tries it with an example of each
payout that routes may lead to it. It says which the rail cannot carry, and
what would fit.

Examples:
  corridor rail check http://127.0.0.1:4010 --secret connector.key
  corridor rail check my_provider --this-pays --json > report.json
  corridor rail check base
  corridor rail check main_bank`

export function railCheckCommand(rail: Command): void {
  addCommand(rail, 'check', 'check a connector, a rail on a chain, or what a rail of files carries')
    .argument('<connector>', 'its URL, or the name of a rail')
    .option('--secret <file>', 'of a URL: the secret that it shares, a file of one line')
    .option('--order <file>', 'members of every order, such as its beneficiary: a file of JSON')
    .option('--since <file>', 'the JSON report of an earlier run')
    .option('--this-pays', 'of a rail: send it real orders, which its provider may pay')
    .option('--watch-s <seconds>', 'how long to watch a payment that does not end', '20')
    .addHelpText('after', HELP)
    .action(check)
}

async function check(connector: string, options: CheckOptions): Promise<void> {
  const rail = connector.includes('://') ? undefined : await railOf(connector, options)
  if (rail?.kind === 'evm') return checkChain(rail)
  if (rail !== undefined && rail.kind !== 'connector') return checkCarriage(rail)
  return checkConnector(connector, rail, options)
}

async function railOf(name: string, { secret }: CheckOptions): Promise<RailRow> {
  if (secret !== undefined) {
    const words = `"${name}" is not a URL such as https://example.com`
    throw new UsageError(`${words}; omit --secret to use the stored secret of rail ${name}`)
  }
  const rails = await withContext(({ sql }) => listRails(sql))
  const rail = rails.find(known => known.name === name)
  if (rail !== undefined) return rail
  throw new NotFound(
    'rail',
    name,
    rails.map(known => known.name),
  )
}

async function checkCarriage(rail: RailRow): Promise<void> {
  const tried = await withContext(({ sql }) => tryRail(sql, rail))
  const words = triedWords(rail, tried) || `rail ${rail.name} carries every payout of its routes`
  print({ rail: rail.name, not_carried: tried }, words)
  if (tried.length > 0) process.exitCode = 1
}

async function checkChain(rail: RailRow): Promise<void> {
  const config = readOrRefuse(readChainConfig(rail.config))
  const addresses = config.wallets.map(({ address }) => address)
  const rows = await withContext(({ sql }) => findWallets(sql, config.chain.id, addresses))
  const signers = config.wallets.map(
    wallet => [wallet.address, openSigner(wallet, config)] as const,
  )
  const chain = openOrRefuse(() => openChain(config, rail.secret))
  try {
    const probe = { config, chain, signers: new Map(signers), rows }
    const showCheck = running.json ? () => {} : checkPrinter()
    const checked = await runEach(chainChecks(config), probe, showCheck)
    print({ rail: rail.name, ...checked }, `\nrail ${rail.name} ${verdictOf(checked, 'is ready')}`)
    if (checked.failed > 0) process.exitCode = 1
  } finally {
    await chain.close()
  }
}

/** A key that the secret lacks is named. */
function openOrRefuse(open: () => OpenChain): OpenChain {
  try {
    return open()
  } catch (error) {
    throw new UsageError((error as Error).message)
  }
}

async function checkConnector(
  connector: string,
  rail: RailRow | undefined,
  options: CheckOptions,
): Promise<void> {
  const order = options.order === undefined ? {} : await readObject(options.order, '--order')
  const earlier = options.since === undefined ? [] : await readEarlier(options.since)
  if (!/^[1-9][0-9]{0,3}$/.test(options.watchS)) {
    throw new UsageError('--watch-s is a number of seconds from 1 to 9999')
  }
  const watch_ms = Number(options.watchS) * 1000
  const target =
    rail === undefined ? await targetOfUrl(connector, options.secret) : targetOfRail(rail, options)
  const showCheck = running.json ? () => {} : checkPrinter()
  const probe_options = { ...target, order, watch_ms, answer_within_ms: ANSWER_WITHIN_MS }
  const report = await runChecks(allChecks(earlier), probe_options, showCheck)
  print(report, summary(report))
  if (report.failed > 0) process.exitCode = 1
}

type Target = Pick<ProbeOptions, 'url' | 'secrets'>

async function targetOfUrl(url: string, secret: string | undefined): Promise<Target> {
  if (secret === undefined) throw new UsageError('a URL needs --secret, the file of its secret')
  // The checks need neither the key's lifetime nor a public address.
  const config = readConfig({ url, key_lifetime_s: null, allow_private: true })
  const { text } = await readInput(secret)
  return { url: readOrRefuse(config).url, secrets: readOrRefuse(readSecrets(text)) }
}

function targetOfRail(
  { name, config, secret: stored }: RailRow,
  { thisPays }: Pick<CheckOptions, 'thisPays'>,
): Target {
  if (thisPays !== true) {
    const hint = 'check the URL of a test environment, or say --this-pays'
    throw new UsageError(`the checks send real orders to rail ${name}: ${hint}`)
  }
  const { url } = readOrRefuse(readConfig(config))
  return { url, secrets: readOrRefuse(readSecrets(stored)) }
}

type JsonObject = Readonly<Record<string, unknown>>

async function readObject(file: string, option: string): Promise<JsonObject> {
  const { text } = await readInput(file)
  const value = parsed(text, option)
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
  if (isObject) return value as JsonObject
  throw new UsageError(`${option}: no JSON object`)
}

function parsed(text: string, option: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new UsageError(`${option}: no JSON: ${(error as Error).message}`)
  }
}

async function readEarlier(file: string): Promise<readonly KeptPayment[]> {
  const { payments } = await readObject(file, '--since')
  const isPayment = (value: unknown): value is KeptPayment => {
    const { id, reference } = (value ?? {}) as Partial<KeptPayment>
    return typeof id === 'string' && /^pot_\w{20}-\d+$/.test(id) && typeof reference === 'string'
  }
  if (Array.isArray(payments) && payments.every(isPayment)) return payments
  throw new UsageError('--since: no report of corridor rail check --json')
}

const MARKS = { passed: '✓', failed: '✗', skipped: '–' } as const

/** The name of a group comes above its first check. */
function checkPrinter(): (checked: CheckResult) => void {
  let group = ''
  return checked => {
    const heading = checked.group === group ? '' : `${group === '' ? '' : '\n'}${checked.group}\n`
    group = checked.group
    process.stdout.write(`${heading}${linesOf(checked).join('\n')}\n`)
  }
}

const NAME_WIDTH = 23

function linesOf({ name, proves, result, detail }: CheckResult): string[] {
  const first = `  ${MARKS[result]} ${name.padEnd(NAME_WIDTH)}`
  const further = ' '.repeat(first.length)
  const columns = columnsOfTerminal()
  const lines = wrapped(proves.split(' '), { first, further, columns })
  if (detail === '') return lines
  const words = visible(result === 'passed' ? detail : `${result}: ${detail}`).split(' ')
  return [...lines, ...wrapped(words, { first: further, further, columns })]
}

function summary({ url, name, ...checked }: CheckReport): string {
  const who = name === '' ? url : `${visible(name)} at ${url}`
  return `\n${who} ${verdictOf(checked, 'keeps the protocol')}`
}

function verdictOf({ passed, failed, skipped }: Checked, good: string): string {
  const counts = `${passed} passed, ${failed} failed, ${skipped} skipped`
  const verdict = failed === 0 ? `${good} as far as it was checked` : 'is not ready'
  return `${verdict}: ${counts}.`
}
