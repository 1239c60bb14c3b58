// corridor privacy find|export|erase|retention: a person's data, and how long payments are kept.
import { type Command, InvalidArgumentError } from 'commander'
import type { Act } from '../ledger/audit/act.ts'
import { recordActs } from '../ledger/audit/store.ts'
import { accountNamed } from '../operator/operator-write.ts'
import { findParties, KNOWN, type Known, readExport, TERMS } from '../privacy/export-store.ts'
import { eraseParty } from '../privacy/operations.ts'
import { type Party, partyKind, type Retention } from '../privacy/privacy.ts'
import { obstaclesOf, obstacleWords } from '../privacy/rules.ts'
import { findPartyAccount, findRetention, updateRetention } from '../privacy/store.ts'
import { isSpread } from '../sql/shard.ts'
import {
  addCommand,
  type Context,
  example,
  personOf,
  print,
  printJson,
  withContext,
} from './context.ts'
import { CommandFailed, NotFound, UsageError } from './failure.ts'
import { MAX_REASON, readReason, readText } from './input.ts'

const REASON = `why, for the audit log, up to ${MAX_REASON} characters; no names`
const MAX_SEARCH_LENGTH = 320
/** Rails may give a payment back for some 60 days, and dead deliveries are kept for 30. */
const MIN_EVENT_DAYS = 90
const MAX_DAYS = 36_500
/** Those of the longest year. */
const DAYS_OF_A_YEAR = 366

export function privacyCommands(privacy: Command): void {
  privacy
    .command('find')
    .description('find beneficiaries and entities of an account by e-mail, name or IBAN')
    .argument('<account>', 'account id')
    .option('--email <text>', 'the e-mail address, whole')
    .option('--name <text>', 'the name, whole, also of representatives')
    .option('--iban <text>', 'the IBAN, or the account number')
    .addHelpText('after', example('privacy find acc_7k2m9x4q --name "Irene Costa"'))
    .action(findAction)
  addCommand(privacy, 'export', 'print everything that is stored of a person, as one JSON document')
    .argument('<party>', 'beneficiary or entity id')
    .option('--reason <text>', REASON, readReason, 'Asked for by the person')
    .addHelpText('after', EXPORT_HELP)
    .action(exportAction)
  addCommand(privacy, 'erase', 'erase the personal data of a beneficiary or an entity, for ever')
    .argument('<party>', 'beneficiary or entity id')
    .requiredOption('--reason <text>', REASON, readReason)
    .option('--dry-run', 'erase nothing: say what would be erased, and what is kept and why')
    .addHelpText('after', ERASE_HELP)
    .action(eraseAction)
  const retention = privacy
    .command('retention')
    .description('show and set how long what was paid is kept')
  addCommand(retention, 'show', 'show how long what is kept, who has set it, and why')
    .addHelpText('after', example('privacy retention show'))
    .action(async () => {
      printRetention(await withContext(({ audit }) => findRetention(audit)))
    })
  addCommand(retention, 'set', 'set how many years what was paid is kept, from the last payout on')
    .argument('<years>', 'whole years, 0 to 30', readYears)
    .requiredOption('--reason <text>', REASON, readReason)
    .addHelpText('after', RETENTION_HELP)
    .action((years: number, { reason }: ReasonOption) => setRetention(reason, { years }))
  retention
    .command('events')
    .description('set after how many days events may be taken out, once an archive has them')
    .argument('<days>', 'whole days, 90 to 36500, or never', readDays(MIN_EVENT_DAYS))
    .requiredOption('--reason <text>', REASON, readReason)
    .addHelpText('after', EVENTS_HELP)
    .action((event_days: number | null, { reason }: ReasonOption) =>
      setRetention(reason, { event_days }),
    )
  retention
    .command('bank-files')
    .description('set after how many days the bytes of what banks have sent are deleted')
    .argument('<days>', 'whole days, or never', readDays(0))
    .requiredOption('--reason <text>', REASON, readReason)
    .addHelpText('after', INBOX_HELP)
    .action((inbox_days: number | null, { reason }: ReasonOption) =>
      setRetention(reason, { inbox_days }),
    )
}

const EXPORT_HELP = `
The audit log keeps who exported whose data. CORRIDOR_USER must say who you are.
docs/privacy.md says what stands where, and what is left out.

Example:
  corridor privacy export bnf_01m7xpm2m0c6hkd4r9ye > export.json`

const ERASE_HELP = `
Ids, times, amounts, countries and states stay, so that the books can be proved.
What must be kept is refused, with the rule. CORRIDOR_USER must say who you are.

Example:
  corridor privacy erase bnf_01m7xpm2m0c6hkd4r9ye --reason "Request 118"`

const RETENTION_HELP = `
5 years unless you say otherwise: what the EU (2015/849, Art. 40), the UK (MLR
2017, reg. 40) and the US (31 CFR 1010.430) ask of those who make payments.

Example:
  corridor privacy retention set 7 --reason "Law of 2026, section 4"`

const INBOX_HELP = `
The running service deletes the bytes of older files that were read, or that
somebody has closed. Their hash, name and size stay, and what they said of each
payment. They stay for ever unless you say otherwise, and at least as long as
payments: 5 years are 1830 days.

Example:
  corridor privacy retention bank-files 2600 --reason "Law of 2026"`

const EVENTS_HELP = `
Events stay for ever unless you say otherwise. This takes nothing out: corridor
events archive writes old ones to a file, and corridor events remove takes out
what such a file has.

Example:
  corridor privacy retention events 400 --reason "Audited until 2025"`

function readDays(least: number): (text: string) => number | null {
  return text => {
    if (text === 'never') return null
    const days = /^(?:0|[1-9][0-9]{0,4})$/.test(text) ? Number(text) : -1
    if (days >= least && days <= MAX_DAYS) return days
    const message = `It must be a whole number of days from ${least} to ${MAX_DAYS}, or never.`
    throw new InvalidArgumentError(message)
  }
}

function readYears(text: string): number {
  if (/^(?:[0-9]|[12][0-9]|30)$/.test(text)) return Number(text)
  throw new InvalidArgumentError('It must be a whole number of years from 0 to 30.')
}

async function findAction(account_id: string, options: Partial<Record<Known, string>>) {
  const [known, ...more] = KNOWN.filter(name => options[name] !== undefined)
  if (known === undefined || more.length > 0) {
    throw new UsageError('say exactly one of --email, --name and --iban')
  }
  const text = readText(`--${known}`, options[known] ?? '', MAX_SEARCH_LENGTH)
  const parties = await withContext(async ({ audit }) => {
    await accountNamed(audit, account_id)
    return findParties(audit, account_id, known, text)
  })
  const words = parties.length === 0 ? 'nobody has exactly this' : parties.join('\n')
  print({ account_id, parties }, words)
}

interface ReasonOption {
  readonly reason: string
}

async function exportAction(id: string, { reason }: ReasonOption): Promise<void> {
  const { party, person, years, sections } = await withContext(async context => {
    const person = personOf(context)
    const party = await partyOf(context, id)
    const { years } = await findRetention(context.audit)
    // The act comes first: if it cannot be recorded, nothing is exported.
    const table_name = partyKind(id) === 'entity' ? 'entities' : 'beneficiaries'
    const act: Act = { table_name, reason, before: null, after: { ...party, exported: 'true' } }
    await context.sql.begin(tx => recordActs(tx, [act]))
    return { party, person, years, sections: await readExport(context.audit, party) }
  })
  printJson({
    object: 'privacy_export',
    party: party.id,
    account_id: party.account_id,
    exported_by: person,
    exported_at: new Date().toISOString(),
    retention_years: years,
    sections: sections.map(({ table, term, note, rows }) => ({
      table,
      kept: TERMS[term],
      ...(note !== '' && { note }),
      rows,
    })),
  })
}

async function partyOf({ audit }: Context, id: string): Promise<Party> {
  const kind = partyKind(id)
  if (kind === undefined) {
    throw new UsageError(`${id} is no id of a beneficiary (bnf_…) or an entity (ent_…)`)
  }
  const account_id = await findPartyAccount(audit, id)
  if (account_id === undefined) throw new NotFound(kind, id)
  return { account_id, id }
}

const SPREAD =
  'a spread database has sandboxes alone and erases nobody: drop it when the trial is over'

async function eraseAction(id: string, options: ReasonOption & { dryRun?: boolean }) {
  const { reason, dryRun = false } = options
  if (dryRun) return printErasure(id)
  const erased = await withContext(async context => {
    const person = personOf(context)
    const party = await partyOf(context, id)
    if (isSpread()) throw new CommandFailed(SPREAD)
    // The operation records the act itself.
    const command = { ...party, person, reason }
    return context.run({ operation: eraseParty, command, act: null })
  })
  const { account_id, erased_at, digest, rows } = erased
  const data = { party: id, account_id, erased_at, erased_rows: rows.length, digest }
  print(data, `${id}  erased; ${rows.length} rows changed`)
}

/** Reads under the lock that an erasure would take, and writes nothing. */
async function printErasure(id: string): Promise<void> {
  const { stored, obstacles } = await withContext(async context => {
    const party = await partyOf(context, id)
    return context.sql.begin(async tx => {
      const command = { ...party, person: '', reason: '' }
      const stored = await eraseParty.load(tx, [command], undefined)
      return { stored, obstacles: obstaclesOf(stored, party) }
    })
  })
  const counts = {
    payouts: stored.payouts.length,
    events: stored.events.length,
    answers: stored.kept.length,
    files: stored.files.length,
  }
  const kept = obstacles.map(({ rule, message, until }) => ({ rule, message, until }))
  const data = { party: id, may_be_erased: kept.length === 0, would_erase: counts, kept_by: kept }
  const what = Object.entries(counts).map(([name, count]) => `${count} ${name}`)
  const words =
    obstacles.length === 0
      ? `${id}  would be erased, with ${what.join(', ')}`
      : [`${id}  is kept:`, ...obstacles.map(one => `  ${obstacleWords(one)}`)].join('\n')
  print(data, words)
}

async function setRetention(
  reason: string,
  change: Partial<Pick<Retention, 'years' | 'event_days' | 'inbox_days'>>,
): Promise<void> {
  const retention = await withContext(async context => {
    const set_by = personOf(context)
    const set = { ...(await findRetention(context.sql)), ...change, set_by, reason }
    const least = set.years * DAYS_OF_A_YEAR
    if (set.inbox_days !== null && set.inbox_days < least) {
      throw new UsageError(
        `payments are kept for ${set.years} years, and so is what banks have said of them: say ` +
          `${least} days at least for bank-files, which is ${set.inbox_days}`,
      )
    }
    await updateRetention(context.sql, set)
    return set
  })
  printRetention(retention)
}

function printRetention(retention: Retention): void {
  const { years, event_days, inbox_days, set_by, reason } = retention
  const who = set_by === '' ? 'as it comes' : `set by ${set_by}: ${reason}`
  const data = { retention_years: years, event_days, inbox_days, set_by, reason }
  const forDays = (days: number | null) => (days === null ? 'for ever' : `for ${days} days`)
  const words =
    `${years} years from the last payout on; events ${forDays(event_days)}; ` +
    `what banks have sent ${forDays(inbox_days)}; ${who}`
  print(data, words)
}
