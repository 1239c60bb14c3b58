// How much screening lowers the rate of payouts: the same load on a service that has 60,000 listed
// names and, in turn, on one that has none. In the first load all payouts go to one payee, who is
// compared with the lists once. In the second nearly every payee is new, and is compared.
import { createWriteStream } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { ListedEntry } from '../../src/screening/screening.ts'
import { type Figure, type FigureRound, roundOf } from '../figure.ts'
import { measureLoad, type Seconds } from '../measure.ts'
import type { Options } from '../options.ts'
import { PAYOUTS, type Payer, payerOf, payoutLoad, recipient, urlOf } from '../payouts.ts'
import { inRounds, sayLoad } from '../report.ts'
import { type Target, withTargets } from '../target.ts'
import { ordinaryName } from './ordinary-names.ts'
import type { Random } from './random.ts'

interface Plan extends Seconds {
  readonly rounds: number
}

const FULL: Plan = { rounds: 5, warm_up_s: 3, load_s: 10 }
const QUICK: Plan = { rounds: 1, warm_up_s: 2, load_s: 4 }

const CONNECTIONS = 64
/** More than a measurement sends, so that few payees come twice. */
const PAYEES = 30_000

const OFF = 'no lists'
const LOADS = ['one payee', 'nearly every payee new'] as const

type Side = Target & Payer

export function benchScreeningRate(
  { quick, record, generator, postgres }: Options,
  entries: readonly ListedEntry[],
  random: Random,
): Promise<readonly Figure[]> {
  const plan = quick ? QUICK : FULL
  record('rate plan', plan)
  return withTargets(2, { postgres }, async targets => {
    const [off, on] = targets as [Target, Target]
    await importEntries(on, entries)
    const sides = await Promise.all([off, on].map(target => payerOf(target)))
    const [without, among] = sides as [Side, Side]
    const rounds: Record<(typeof LOADS)[number], FigureRound[]> = {
      'one payee': [],
      'nearly every payee new': [],
    }
    await inRounds(plan.rounds, async round => {
      for (const load of LOADS) {
        const bodies = load === 'one payee' ? undefined : strangers(random)
        const measure = async (side: Side, name: string) => {
          const measured = await measureLoad(generator, side, loadOf(side, bodies), plan)
          sayLoad(`${load}, ${name}`, 'payouts/s', measured)
          return measured
        }
        // The order alternates from round to round.
        const first = round % 2 === 0 ? await measure(among, 'on') : undefined
        const rate = await measure(without, 'off')
        const screened = first ?? (await measure(among, 'on'))
        rounds[load].push(roundOf(screened, { [OFF]: rate.per_second }))
      }
    })
    return LOADS.map(load => ({
      name: `payouts screened against 60,000 names, ${load}`,
      unit: 'payouts/s',
      rounds: rounds[load],
      goals: load === 'one payee' ? [{ what: 'ratio', to: OFF, at_least: 0.95 }] : [],
      note: NOTE,
    }))
  })
}

const NOTE =
  'One hot account, 64 connections. What a transaction has no time to screen goes out when the ' +
  'worker has screened it.'

function loadOf(side: Side, bodies: readonly string[] | undefined) {
  if (bodies === undefined) return payoutLoad(side.address, [side], CONNECTIONS)
  return {
    url: urlOf(side.address),
    authorizations: [side.authorization],
    bodies: { templates: bodies, fresh_from: 0, existing_to: 1, keyed: true },
    connections: CONNECTIONS,
  }
}

function strangers(random: Random): string[] {
  return Array.from({ length: PAYEES }, (_, i) => {
    const { name, kind } = ordinaryName(random)
    const type = kind === 'person' ? 'individual' : 'business'
    const beneficiary_details = { ...recipient(i), name, type }
    return JSON.stringify({ ...PAYOUTS['USD→USD'], beneficiary_details })
  })
}

/** Imports the entries with the operator's command. */
export async function importEntries(
  target: Target,
  entries: readonly ListedEntry[],
): Promise<void> {
  const file = join(target.folder, 'listed.xml')
  await pipeline(Readable.from(sdnList(entries)), createWriteStream(file))
  await target.command('lists', 'import', file, '--list', 'ofac')
}

/** The entries in the format of OFAC's SDN.XML. */
function* sdnList(entries: readonly ListedEntry[]): Generator<string> {
  const [year, month, day] = new Date().toISOString().slice(0, 10).split('-')
  yield '<sdnList xmlns="https://sanctionslistservice.ofac.treas.gov/api/PublicationPreview/exports/XML">'
  yield `<publshInformation><Publish_Date>${month}/${day}/${year}</Publish_Date>`
  yield `<Record_Count>${entries.length}</Record_Count></publshInformation>\n`
  for (const { entry_id, kind, names } of entries) {
    const [own, ...others] = names.map(({ text }) => text)
    const akas = others.map(
      (text, i) =>
        `<aka><uid>${entry_id}${i}</uid><type>a.k.a.</type><category>strong</category>` +
        `<lastName>${text}</lastName></aka>`,
    )
    yield `<sdnEntry><uid>${entry_id}</uid><lastName>${own}</lastName>` +
      `<sdnType>${kind === 'person' ? 'Individual' : 'Entity'}</sdnType>` +
      `<programList><program>BENCH</program></programList><akaList>${akas.join('')}</akaList>` +
      '</sdnEntry>\n'
  }
  yield '</sdnList>\n'
}
