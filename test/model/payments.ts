// Payouts at random: at a quote or without one, to banks and between the accounts; most of them to
// succeed, the others to be refused for one reason each.
import fc from 'fast-check'
import { bankBeneficiary, internalPayout, localPayout } from '../support/given/bodies.ts'
import { MAX_AMOUNT } from './price.ts'
import {
  ACCOUNTS,
  account,
  amount,
  another,
  anyAmount,
  type Body,
  currency,
  key,
  named,
  nth,
  often,
  pick,
  type Real,
  step,
} from './step.ts'
import {
  accountOf,
  balanceOf,
  type Destination,
  type Quote,
  type Request,
  type World,
} from './world.ts'

export const payQuoted = step(
  'payQuoted',
  fc.record({
    account,
    n: pick,
    newest: often,
    twist: fc.constantFrom(
      ...Array(12).fill('none'),
      'amount',
      'currency',
      'holding',
      'type',
      'untyped',
      'stranger',
      'destination',
    ),
    to: fc.nat(3),
    known: fc.boolean(),
    key,
  }),
  (world, real, drawn) => {
    const unused = drawn.newest ? world.quotes.filter(({ used }) => !used).slice(-4) : []
    const found = nth(unused, drawn.n) ?? nth(world.quotes, drawn.n)
    if (found === undefined) return payUnknown(world, real, drawn.account)
    const { twist } = drawn
    const payer = twist === 'stranger' ? (found.account + 1) % ACCOUNTS.length : found.account
    const { terms } = found
    const internal = (terms.type === 'service_account') !== (twist === 'destination')
    const body = {
      ...localPayout,
      ...detailsFor(world, payer, internal, drawn, undefined),
      ...twisted(world, found, twist),
      quote: found.id,
    }
    return real.post(world, { account: payer, path: '/v3/payout', body, key: named(drawn.key) })
  },
)

/** What the quote says, but for one member. */
function twisted(world: World, { account, terms }: Quote, twist: string): Body {
  const { currencies } = accountOf(world, account)
  const otherHolding = currencies.find(code => code !== terms.holding)
  const types: Readonly<Record<string, string | undefined>> = {
    type: terms.type === 'local' ? 'swift' : 'local',
    untyped: undefined,
  }
  return {
    type: Object.hasOwn(types, twist) ? types[twist] : terms.type,
    amount: twist === 'amount' ? another(Number(terms.amount)) : Number(terms.amount),
    currency: twist === 'currency' ? (terms.currency === 'USD' ? 'EUR' : 'USD') : terms.currency,
    ...(twist === 'holding' && { holding_currency: otherHolding }),
  }
}

function payUnknown(world: World, real: Real, account: number) {
  const body = { ...localPayout, quote: 'poq_00000000000000000000' }
  return real.post(world, { account, path: '/v3/payout', body, key: null })
}

/** A beneficiary that is known already, or its details. */
function detailsFor(
  world: World,
  payer: number,
  internal: boolean,
  { n, to, known }: { readonly n: number; readonly to: number; readonly known: boolean },
  bankCurrency: string | undefined,
): Body {
  const type: Destination['type'] = internal ? 'service_account' : 'bank'
  const mine = world.beneficiaries.filter(
    ({ account, destination }) => account === payer && destination.type === type,
  )
  const found = known && bankCurrency === undefined ? nth(mine, n) : undefined
  if (found !== undefined) return { beneficiary_details: undefined, beneficiary: found.id }
  if (internal) {
    const { beneficiary_details } = internalPayout(addressOf(world, payer, to))
    return { beneficiary_details }
  }
  const { bank } = bankBeneficiary.destination_details
  const destination_details = { type, bank: { ...bank, currency: bankCurrency } }
  return { beneficiary_details: { ...bankBeneficiary, destination_details } }
}

/** One of the others', and seldom an account's own or nobody's. */
function addressOf(world: World, payer: number, to: number): string {
  const others = world.accounts.filter((_, i) => i !== payer)
  if (to < others.length) return others[to]?.deposit_address ?? ''
  return to === others.length ? accountOf(world, payer).deposit_address : 'dep_nobody'
}

export const payDirect = step(
  'payDirect',
  fc.record({
    account,
    type: fc.constantFrom('local', 'local', 'swift'),
    currency: fc.option(currency, { freq: 2, nil: undefined }),
    holding: fc.option(pick, { freq: 2, nil: undefined }),
    arrives: fc.option(currency, { freq: 4, nil: undefined }),
    amount: anyAmount,
    n: pick,
    known: fc.boolean(),
    key,
  }),
  (world, real, drawn) => {
    const { currencies } = accountOf(world, drawn.account)
    const { n, holding } = drawn
    // Seldom a balance that the account does not have.
    const held =
      holding !== undefined && holding % 15 === 14 ? 'HKD' : nth(currencies, holding ?? 0)
    const body = {
      ...localPayout,
      type: drawn.amount > 1_000_000 ? 'local' : drawn.type,
      amount: drawn.amount,
      currency: drawn.currency ?? nth(currencies, n),
      ...(holding !== undefined && { holding_currency: held }),
      ...detailsFor(world, drawn.account, false, { ...drawn, to: 0 }, drawn.arrives),
    }
    const key = held === 'HKD' ? null : named(drawn.key)
    return real.post(world, { account: drawn.account, path: '/v3/payout', body, key })
  },
)

const to = fc.oneof(
  { weight: 9, arbitrary: fc.nat(1) },
  { weight: 1, arbitrary: fc.constantFrom(2, 3) },
)

export const transfer = step(
  'transfer',
  fc.record({ account, to, currency, n: pick, own: often, amount, known: fc.boolean(), key }),
  (world, real, drawn) => {
    const currency = drawn.own ? shared(world, drawn) : drawn.currency
    return real.post(world, transferOf(world, drawn, currency, drawn.amount))
  },
)

/** All that there is, which takes no fee to an account, or one unit more, which nobody has. */
export const drain = step(
  'drain',
  fc.record({ account, to, n: pick, over: fc.boolean(), known: fc.boolean(), key }),
  (world, real, drawn) => {
    const currency = shared(world, drawn)
    const all = Number(balanceOf(accountOf(world, drawn.account), currency)) + (drawn.over ? 1 : 0)
    const amount = Math.min(Math.max(1, all), Number(MAX_AMOUNT))
    return real.post(world, transferOf(world, drawn, currency, amount))
  },
)

/** A currency that both hold; all of them hold one. */
function shared(world: World, { account, to, n }: Transfer): string {
  const receiver = world.accounts.filter((_, i) => i !== account)[to]
  const { currencies } = accountOf(world, account)
  const held = currencies.filter(code => receiver?.currencies.includes(code) ?? true)
  return nth(held, n) ?? ''
}

interface Transfer {
  readonly account: number
  readonly to: number
  readonly n: number
  readonly known: boolean
  readonly key: number | null
}

function transferOf(world: World, drawn: Transfer, currency: string, amount: number): Request {
  const { account } = drawn
  const body = {
    ...internalPayout('', amount, currency),
    ...detailsFor(world, account, true, drawn, undefined),
  }
  return { account, path: '/v3/payout', body, key: named(drawn.key) }
}
