// The limits that count the account's own payouts, with what is used and what is left.
import { LimitResponse } from '../../controls/account-summary/response.ts'
import { conditionWords, quantity, windowWords } from '../../controls/limit/words.ts'
import { groupedNumbers } from '../../values/money/words.ts'
import { type Html, html } from '../../values/text/html.ts'
import { rows, type Table, withNumbers } from '../list.ts'
import type { OwnAccount } from '../objects.ts'
import type { Visit } from '../visit.ts'

type OwnLimit = OwnAccount['limits'][number]

/** '' without a limit. */
export async function limitsOf({ api }: Visit): Promise<Html | ''> {
  const { limits } = await api.get<OwnAccount>('/v3/account')
  return limits.length === 0 ? '' : html`<h2>Limits</h2>${rows(TABLE, limits)}`
}

const TABLE: Table<OwnLimit> = {
  caption: 'Limits of your payouts',
  empty: '',
  columns: [
    { name: 'Your payouts', show: limit => conditionWords(kindOf(limit)) || 'all together' },
    {
      name: 'At most',
      show: limit => `${amountWords(limit, limit.cap)} ${windowWords(kindOf(limit))}`,
    },
    { name: 'Used', number: true, show: limit => usedWords(limit, limit.used) },
    { name: 'Left', number: true, show: limit => usedWords(limit, limit.headroom) },
  ],
}

function amountWords({ currency }: OwnLimit, amount: string): string {
  return groupedNumbers(quantity(currency, BigInt(amount)))
}

/** A single payout uses nothing up, and each payee has a count of its own. */
function usedWords(limit: OwnLimit, amount: string | null): string {
  return amount === null || limit.per === 'payout' ? '–' : amountWords(limit, amount)
}

const kindOf = (limit: OwnLimit) => withNumbers(LimitResponse, limit)
