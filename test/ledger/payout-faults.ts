// Faults in payouts, in what they caused, and in their quotes: how each is planted, and which row must
// be named.
import { type Fault, journal, planted } from './faults.ts'
import { findJournal, rechain, removeJournal } from './forgery.ts'
import type { Fate } from './history.ts'

/** A change of one payout. */
function payoutChange(name: string, fate: Fate, assignment: string, words: RegExp): Fault {
  return stateChange(name, fate, `update payouts set ${assignment}`, words)
}

/** A change of how a payout stands; the statement's condition is added. */
function stateChange(name: string, fate: Fate, statement: string, words: RegExp): Fault {
  return planted({
    name,
    table: 'payouts',
    words,
    statement: `${statement} where account_id = $1 and id = $2`,
    row: ({ payouts }) => payouts[fate],
  })
}

/** A change of the quote of the payout in yen that succeeded. */
function quoteChange(name: string, statement: string, words: RegExp): Fault {
  return {
    name,
    table: 'quotes',
    words,
    async plant(owner, { main, payouts }) {
      const { account_id } = main.account
      const [row] = await owner<{ quote_id: string }[]>`
        select quote_id from payouts
        where account_id = ${account_id} and id = ${payouts.fx}`
      const quote_id = row?.quote_id ?? ''
      await owner.unsafe(`${statement} where account_id = $1 and id = $2`, [account_id, quote_id])
      return { key: quote_id }
    },
  }
}

/** A change of the quote that nobody has used: 99 US dollar cents and the fee. */
function openQuoteChange(name: string, assignment: string, words: RegExp): Fault {
  return planted({
    name,
    table: 'quotes',
    words,
    statement: `update quotes set ${assignment} where account_id = $1 and id = $2`,
    row: ({ open_quote }) => open_quote,
  })
}

/** A journal of a payout taken out, and every trace covered. */
function journalRemoved(fate: Fate, kind: string, words: RegExp): Fault {
  return {
    name: `${kind} of a payout (${fate}) removed, chain recomputed`,
    table: 'payouts',
    words,
    async plant(owner, { main, payouts }) {
      const { account_id } = main.account
      const gone = await findJournal(owner, account_id, kind, payouts[fate])
      const moved = gone.postings.find(posting => posting.code === 'available')
      await removeJournal(owner, gone)
      if (moved !== undefined) {
        await owner`
          update balances set available = available - ${String(moved.amount)}::bigint
          where account_id = ${account_id} and currency = ${moved.currency}`
        await owner`
          update journals
          set balance_after = balance_after - ${String(moved.amount)}::bigint
          where account_id = ${account_id} and currency = ${moved.currency}
            and number >= ${gone.number}`
        await rechain(owner, account_id)
      }
      return { key: payouts[fate] }
    },
  }
}

const payoutFaults: readonly Fault[] = [
  payoutChange(
    'an unknown beneficiary',
    'succeeded',
    `beneficiary_id = 'bnf_00000000000000000000'`,
    /beneficiary bnf_0{20} in its account.*none/,
  ),
  payoutChange(
    'a carried price below its basis',
    'succeeded',
    'holding_amount = holding_amount - 1',
    /^holding_amount 10000, by its basis; 9999$/,
  ),
  payoutChange(
    'a carried price at another rate',
    'internal_fx',
    'holding_to_payout = 1.5',
    /^holding_to_payout [\d.]+, by its basis; 1\.5$/,
  ),
  payoutChange(
    'a carried price without its fixed fee',
    'succeeded',
    'fixed_fee = 0',
    /^fixed_fee_holding 150, by its basis; 0$/,
  ),
  payoutChange(
    "another fee in a carried price's basis",
    'succeeded',
    `basis = replace(basis::text, '"150"', '"149"')::json`,
    /^fixed_fee_holding 149, by its basis; 150$/,
  ),
  payoutChange('a malformed carried basis', 'succeeded', `basis = '[]'`, /^.+, by its basis; .+$/),
  payoutChange(
    'a country absent from every event',
    'succeeded',
    `destination_country = 'KE'`,
    /^digest [0-9a-f]{64} of its newest event; [0-9a-f]{64}$/,
  ),
  stateChange(
    'a report from a rail that was not asked',
    'succeeded',
    'update payout_outcomes set rail_attempts = 0',
    /the rail asked before it answers/,
  ),
  stateChange(
    'a payout without a past or future question to its rail',
    'processing',
    'update open_payouts set rail_attempts = 0, ask_rail_at = null',
    /the rail asked once, or the payout due since its last step.*never/,
  ),
  stateChange(
    'a payout without a next step',
    'processing',
    'delete from open_payouts',
    /^one state, rail simulator; none$/,
  ),
  stateChange(
    'an ended payout without outcome',
    'failed',
    'delete from payout_outcomes',
    /^one state, rail simulator; none$/,
  ),
  stateChange(
    'an open payout in a status without event',
    'processing',
    `update open_payouts set status = 'compliance_hold'`,
    /^digest [0-9a-f]{64} of its newest event; [0-9a-f]{64}$/,
  ),
  stateChange(
    'a rail question due after the end',
    'succeeded',
    `insert into open_payouts (account_id, id, updated_at, status, rail, ask_rail_at, rail_attempts)
      select account_id, id, updated_at, 'succeeded', rail, updated_at, 1 from payout_outcomes`,
    /^succeeded, .*; succeeded, /,
  ),
  stateChange(
    'a state without its payout',
    'failed',
    'delete from payouts',
    /^no state, as there is no such payout; payout_outcomes: failed, rail simulator$/,
  ),
  stateChange(
    "another rail than the route's",
    'failed',
    `update payout_outcomes set rail = 'bank'`,
    /^one state, rail simulator; payout_outcomes: failed, rail bank$/,
  ),
  stateChange(
    'succeeded flipped to failed',
    'succeeded',
    `update payout_outcomes set status = 'failed'`,
    /payout, failure.*payout, settlement/,
  ),
  stateChange(
    'succeeded taken back to processing',
    'succeeded',
    `with gone as (delete from payout_outcomes where id = $2)
      insert into open_payouts (account_id, id, updated_at, rail_steps, rail_attempts, status, rail)
      select account_id, id, updated_at, rail_steps, rail_attempts, 'processing', rail
      from payout_outcomes`,
    /as it is processing/,
  ),
  stateChange(
    'processing with an outcome',
    'processing',
    `insert into payout_outcomes (account_id, id, updated_at, rail_steps, rail_attempts, status, rail,
        status_description, rail_reference, taken_by, answers)
      select account_id, id, updated_at, rail_steps, rail_attempts, 'succeeded', rail, '', '', '', '[]'
      from open_payouts`,
    /^succeeded, simulator, .*; processing, simulator, /,
  ),
  stateChange(
    'an internal payout that was reversed',
    'internal',
    `update payout_outcomes set status = 'reversed', succeeded_at = updated_at`,
    /a status that its type can have/,
  ),
  payoutChange(
    'a payout pointing at another debit',
    'fx',
    `balance_transaction_id = 'btr_00000000000000000000'`,
    /its debit btr_0000/,
  ),
  payoutChange(
    'an MT103 on a local payout',
    'succeeded',
    `mt103 = '{1:F01'`,
    /^no mt103, as the payout is not by SWIFT; one$/,
  ),
  payoutChange(
    "another payout's MT103",
    'swift',
    `mt103 = replace(mt103, '{121:', '{121:0')`,
    /^UETR [0-9a-f-]{36} in its mt103; 0[0-9a-f-]{36}$/,
  ),
  payoutChange(
    'an MT103 with another amount',
    'swift',
    `mt103 = replace(mt103, 'USD777,', 'USD778,')`,
    /^77700 USD in its mt103; 77800 USD$/,
  ),
  stateChange(
    'an unrequested answer',
    'succeeded',
    `update payout_outcomes set answers = '[{"number":1}]'`,
    /^at most 0 answers; 1$/,
  ),
  stateChange(
    'the first answer removed',
    'answered',
    `update payout_outcomes set answers = '[{"number":2}]'`,
    /^answers numbered 1; 2$/,
  ),
  journalRemoved(
    'succeeded',
    'settlement',
    /journals payout, settlement, as it is succeeded; payout$/,
  ),
  journalRemoved('held', 'payout', /^a payout journal; none$/),
  journalRemoved('fx_failed', 'failure', /journals payout, failure, as it is failed; payout$/),
  journalRemoved('reversed', 'reversal', /payout, settlement, reversal, as it is reversed/),
  {
    name: 'a payout deleted',
    table: 'journals',
    words: /^a payout pot_\w+; none/,
    async plant(owner, { main, payouts }) {
      const { account_id } = main.account
      const { number } = await findJournal(owner, account_id, 'payout', payouts.held)
      for (const table of ['payouts', 'open_payouts']) {
        await owner.unsafe(`delete from ${table} where account_id = $1 and id = $2`, [
          account_id,
          payouts.held,
        ])
      }
      return journal(number)
    },
  },
  {
    name: 'a payout and its quote with another destination amount',
    table: 'journals',
    words: /in_transit JPY/,
    async plant(owner, { main, payouts }) {
      const { account_id } = main.account
      const { number } = await findJournal(owner, account_id, 'payout', payouts.fx)
      await owner`
        update quotes set destination_amount = destination_amount + 1
        where account_id = ${account_id} and id =
          (select quote_id from payouts where account_id = ${account_id} and id = ${payouts.fx})`
      await owner`
        update payouts set destination_amount = destination_amount + 1
        where account_id = ${account_id} and id = ${payouts.fx}`
      return journal(number)
    },
  },
  {
    name: 'a payout to an unknown address',
    table: 'payouts',
    words: /an account with its deposit address; none/,
    async plant(owner, { sister, payouts }) {
      await owner`
        update accounts set deposit_address = 'dep_x'
        where account_id = ${sister.account.account_id}`
      return { key: payouts.internal }
    },
  },
  {
    name: 'a receipt of one minor unit more, chain and balances recomputed',
    table: 'payouts',
    words: /a receipt in account .* available USD 20000; journal 2: .* available USD 20001$/,
    async plant(owner, { sister, payouts }) {
      const { account_id } = sister.account
      await owner`
        update journals set amounts = array[-20001, 20001],
          amount = amount + 1, balance_after = balance_after + 1
        where account_id = ${account_id} and source = ${payouts.internal}`
      await owner`
        update balances set available = available + 1
        where account_id = ${account_id} and currency = 'USD'`
      await rechain(owner, account_id)
      return { key: payouts.internal }
    },
  },
  {
    name: 'a receipt of another payout, chain recomputed',
    table: 'payouts',
    words: /a receipt in account acc_\w+: .*; no receipt there/,
    async plant(owner, { sister, payouts }) {
      const { account_id } = sister.account
      await owner`
        update journals set source = 'pot_00000000000000000000'
        where account_id = ${account_id} and source = ${payouts.internal}`
      await rechain(owner, account_id)
      return { key: payouts.internal }
    },
  },
  {
    name: 'a receipt of a payout to another account',
    table: 'journals',
    words: /a payout pot_\w+ to this account; none/,
    async plant(owner, { sister }) {
      const { account_id } = sister.account
      // A fourth journal: the third again, under a source that no payout has.
      await owner`
        insert into journals
        select (jsonb_populate_record(j, jsonb_build_object('number', 4,
          'source', 'pot_00000000000000000000', 'balance_after', balance_after + amount))).*
        from journals j where account_id = ${account_id} and number = 3`
      await owner`
        update balances b set available = b.available + j.amount
        from journals j where j.account_id = ${account_id} and j.number = 4
          and b.account_id = j.account_id and b.currency = j.currency`
      await owner`update books set journal_count = 4 where account_id = ${account_id}`
      await rechain(owner, account_id)
      return { ...journal(4n), account_id }
    },
  },
]

const quoteFaults: readonly Fault[] = [
  quoteChange(
    'a used quote made active again',
    `update quotes set status = 'active'`,
    /^status used, by payout pot_\w+; active$/,
  ),
  quoteChange(
    'a quote with another amount',
    'update quotes set holding_amount = holding_amount + 1',
    /^holding_amount \d+, as in payout pot_\w+; \d+$/,
  ),
  quoteChange(
    'a quote with another rate',
    'update quotes set holding_to_payout = 1.5',
    /^holding_to_payout [\d.]+, as in payout pot_\w+; 1.5$/,
  ),
  quoteChange('a used quote deleted', 'delete from quotes', /^the quote of payout/),
  openQuoteChange(
    'a quote marked as used without a payout',
    `status = 'used'`,
    /a payout or a conversion, as the quote is used; none/,
  ),
  openQuoteChange(
    'an unused quote that costs less',
    'holding_amount = holding_amount - 1',
    /^holding_amount 99, by its basis; 98$/,
  ),
  openQuoteChange('a malformed basis', `basis = '[]'`, /^.+, by its basis; .+$/),
]

export const PAYOUT_FAULTS: readonly Fault[] = [...payoutFaults, ...quoteFaults]
