// Money that leaves a wallet on a chain for the house's own address: one person asks, another one
// agrees, and the rail pays it.
import type { Static } from 'typebox'
import { type EvmConfig, readConfig } from '../adapters/evm/config.ts'
import { readAddress } from '../adapters/evm/hex.ts'
import {
  agreeToSweep,
  findSweep,
  insertSweep,
  listSweeps,
  type Sweep,
} from '../adapters/evm/sweep-store.ts'
import { Closed, CurrencyCode, MINOR_OF, MinorText, REASON, Timestamp } from '../http/schema.ts'
import { Type } from '../http/type.ts'
import type { Sql } from '../sql/connect.ts'
import { invalidField, refusal, refuseIfAny } from '../values/errors.ts'
import { moneyWords } from '../values/money/words.ts'
import { type Acting, reading, writing } from './action.ts'
import { known } from './operator-write.ts'
import { RailPath, railNamed } from './rail-named.ts'
import { MAX_MINOR, Reason } from './request.ts'

const SweepPath = Type.Object({
  id: Type.String({
    pattern: '^sweep_[0-9]{1,18}$',
    description: 'The sweep.',
    examples: ['sweep_7'],
  }),
})

const SweepRequest = Closed(
  {
    wallet: Type.String({
      pattern: '^0x[0-9a-fA-F]{40}$',
      description: 'The wallet of the rail that it leaves.',
      examples: ['0x52908400098527886E0F7030069857D2E4169EE7'],
    }),
    currency: CurrencyCode,
    amount: Type.Integer({
      ...{
        minimum: 1,
        maximum: MAX_MINOR,
        [REASON]: 'amount_out_of_range',
        [MINOR_OF]: 'currency',
      },
      description: 'Minor units.',
    }),
    reason: Reason,
  },
  { title: 'SweepWallet' },
)

const Nullable = (one: ReturnType<typeof Type.String>) => Type.Union([one, Type.Null()])

const SweepResponse = Type.Object(
  {
    id: SweepPath.properties.id,
    rail: Type.String(),
    wallet: Type.String(),
    payee: Type.String({
      description: 'The `treasury_address` of the rail when it was asked for.',
    }),
    currency: Type.String(),
    amount: MinorText(''),
    asked_by: Type.String(),
    asked_at: Timestamp,
    reason: Type.String(),
    agreed_by: Nullable(Type.String({ description: 'Null until another person agrees.' })),
    agreed_at: Nullable(Timestamp),
    state: Nullable(Type.String({ description: 'Of its payment; null before it has one.' })),
    transaction: Nullable(Type.String({ description: 'The hash of its transaction.' })),
  },
  { title: 'Sweep', description: 'Money that leaves a wallet for the house.' },
)

function presentSweep(sweep: Sweep): Static<typeof SweepResponse> {
  const { id, rail, wallet, payee, currency, amount, asked_by, asked_at, reason, agreed_at } = sweep
  return {
    ...{ id: `sweep_${id}`, rail, wallet, payee, currency, amount: String(amount) },
    ...{ asked_by, asked_at, reason, agreed_by: sweep.agreed_by || null, agreed_at },
    ...{ state: sweep.state, transaction: sweep.transaction || null },
  }
}

type Presented = ReturnType<typeof presentSweep>

const moneyOf = ({ amount, currency }: Presented) => moneyWords(BigInt(amount), currency)

function stateOf({ state, agreed_by, transaction }: Presented): string {
  if (agreed_by === null) return 'waits for another person'
  return state === null ? `agreed by ${agreed_by}` : `${state} ${transaction ?? ''}`.trim()
}

const list = reading({
  name: 'rail sweeps',
  path: '/v3/operator/rail/:name/sweep',
  operationId: 'listSweeps',
  summary: 'List what people have asked to move from wallets of a rail to the house.',
  params: RailPath,
  response: SweepResponse,
  list: { title: 'SweepList', description: 'The newest 100, the newest first.' },
  async find(audit, { name }) {
    await railNamed(audit, name)
    return (await listSweeps(audit, name, 100)).map(presentSweep)
  },
  command: {
    words: found =>
      found.map(one => ({
        sweep: one.id,
        wallet: one.wallet,
        amount: moneyOf(one),
        asked_by: one.asked_by,
        state: stateOf(one),
      })),
    none: 'nobody has asked to move anything',
    help: '\nExample:\n  corridor rail sweeps base',
  },
})

const SWEEP_HELP = `
It goes to the treasury_address of the settings, once another person has agreed
by corridor rail agree. An agreement is good for a day. Nothing else may move
money with the key of a wallet: its numbers would be used up.

Example:
  corridor rail sweep base --wallet 0x52908400098527886E0F7030069857D2E4169EE7 \\
    --currency USDC --amount 250000.00 --reason "More than a week needs"`

const sweep = writing({
  name: 'rail sweep',
  path: '/v3/operator/rail/:name/sweep',
  operationId: 'askSweep',
  summary: 'Ask to move money from a wallet of a rail to the address of the house.',
  description: 'Another person agrees to it, and then the rail pays it once.',
  params: RailPath,
  body: SweepRequest,
  response: SweepResponse,
  refusals: ['invalid_transition', 'currency'],
  asksPassword: true,
  byPerson: true,
  async run(acting, { name, wallet: written, currency, amount, reason }) {
    const { config: json, kind } = await railNamed(acting.audit, name)
    const config = readConfig(json).value
    if (kind !== 'evm' || config === undefined) {
      throw refusal('invalid_path_parameter', `rail ${name} pays on no chain`, 'name')
    }
    const payee = config.treasury_address
    if (payee === null) {
      const message = `rail ${name} has no treasury_address: corridor rail add ${name} --replace`
      throw refusal('invalid_transition', message, 'name')
    }
    const wallet = readAddress(written)
    refuseIfAny(problemsOf(config, { wallet, currency }))
    if (wallet === undefined) throw new Error('a wallet that was not refused')
    return acting.change(async sql => {
      const asked = { rail: name, wallet, payee, currency, amount: BigInt(amount), reason }
      const chain_id = config.chain.id
      const id = await insertSweep(sql, { ...asked, chain_id, asked_by: acting.operator.name })
      return sweepOf(sql, id)
    })
  },
  command: {
    words: one => `${one.id}  ${moneyOf(one)} to ${one.payee}: another person agrees to it`,
    listed: 'rail list',
    options: { reason: 'why, for whoever agrees and for the audit log' },
    help: SWEEP_HELP,
  },
})

function problemsOf(
  { wallets, tokens }: EvmConfig,
  { wallet, currency }: { readonly wallet: string | undefined; readonly currency: string },
) {
  const is_ours = wallets.some(({ address }) => address === wallet)
  return [
    ...(is_ours ? [] : [invalidField('wallet', 'it is no wallet of this rail')]),
    ...(tokens.has(currency) ? [] : [invalidField('currency', 'the rail has no such token')]),
  ]
}

const agree = writing({
  name: 'rail agree',
  path: '/v3/operator/rail_sweep/:id/agree',
  operationId: 'agreeToSweep',
  summary: 'Agree to a sweep that another person has asked for.',
  description:
    'The rail then pays it, once, as soon as the wallet has it beyond its open payments.',
  params: SweepPath,
  emptyBody: 'NothingMore',
  response: SweepResponse,
  refusals: ['invalid_transition'],
  asksPassword: true,
  byPerson: true,
  async run(acting, { id }) {
    const number = BigInt(id.slice('sweep_'.length))
    known('sweep', id, await findSweep(acting.audit, number))
    return acting.change(async sql => {
      if (!(await agreeTo(sql, number, acting))) {
        throw refusal('invalid_transition', `${id} is agreed to already.`, 'id')
      }
      return sweepOf(sql, number)
    })
  },
  command: {
    words: one => `${one.id}  ${moneyOf(one)} to ${one.payee}: the rail pays it`,
    subject: 'sweep',
    listed: 'rail sweeps',
    help: '\nExample:\n  corridor rail agree sweep_7',
  },
})

/** Refuses (409) the person who has asked; names that differ in case or white space are one. */
async function agreeTo(sql: Sql, number: bigint, { operator }: Pick<Acting<unknown>, 'operator'>) {
  try {
    return await agreeToSweep(sql, number, operator.name)
  } catch (error) {
    const { constraint_name } = error as { constraint_name?: string }
    if (constraint_name !== 'sweep_by_two') throw error
    throw refusal('invalid_transition', 'You have asked for it: another person agrees.', 'id')
  }
}

async function sweepOf(sql: Sql, id: bigint) {
  const found = await findSweep(sql, id)
  if (found === undefined) throw new Error('the sweep is gone')
  return presentSweep(found)
}

export const SWEEPS = [list, sweep, agree] as const
