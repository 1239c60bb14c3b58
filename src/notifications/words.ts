// The text of a notification: what has happened, how often, and where to look. It names accounts by
// their ids, and nobody. Pure.
import type { Kind, Message, News, Sort } from './notification.ts'

/** The words for one, and for several. */
const NOUNS: Readonly<Record<Sort, readonly [string, string]>> = {
  payout: ['payout waits for an approval', 'payouts wait for an approval'],
  beneficiary: ['beneficiary waits for an approval', 'beneficiaries wait for an approval'],
  screening: [
    'payout or party may be on a sanctions list',
    'payouts and parties may be on sanctions lists',
  ],
  review: ['payout is held for a review', 'payouts are held for a review'],
  action: ['payout waits for an answer of its account', 'payouts wait for answers of accounts'],
  exception: ['exception of a rail is open', 'exceptions of rails are open'],
  failed: ['payout has failed', 'payouts have failed'],
  reversed: ['payout has come back', 'payouts have come back'],
  balance: ['balance has become low', 'balances have become low'],
  endpoint: ['webhook endpoint has stopped working', 'webhook endpoints have stopped working'],
  fault: [
    'row differs from the books: its account is frozen',
    'rows differ from the books: their accounts are frozen',
  ],
  rate: ['rate is stale: payouts cannot use it', 'rates are stale: payouts cannot use them'],
}

/** Below /console: the page where people act. `:account` stands for the account. */
const PLACES: Readonly<Record<Kind, string>> = {
  approval: '/:account/approvals',
  hold: '/installation',
  failure: '/installation/payouts?account_id=:account',
  low_balance: '/installation/accounts/:account',
  endpoint: '/installation/deliveries',
  stale_rate: '/installation/prices',
  fault: '/installation/accounts/:account',
}

/** The most accounts, or rates, that a message names. */
const MOST_NAMED = 10

/** `public_url` is how people reach the service, as `https://pay.example.com`; '' if unknown. */
export function messageOf(kind: Kind, news: readonly News[], public_url: string): Message {
  const by_sort = [...Map.groupBy(news, ({ sort }) => sort)]
  const said = by_sort.map(([sort, some]) => sentence(sort, some)).join(', ')
  const place = PLACES[kind]
  const is_of_account = place.includes(':account')
  const lines = is_of_account ? ofAccounts(news, place, public_url) : namesOf(news)
  const link = is_of_account || public_url === '' ? [] : [`${public_url}/console${place}`]
  return { subject: `Corridor: ${said}`, text: [`${said}.`, ...lines, ...link].join('\n') }
}

function sentence(sort: Sort, news: readonly News[]): string {
  const count = news.reduce((sum, one) => sum + one.count, 0)
  return `${count} ${NOUNS[sort][count === 1 ? 0 : 1]}`
}

/** A line for each account, with its page. */
function ofAccounts(news: readonly News[], place: string, public_url: string): string[] {
  const by_account = [...Map.groupBy(news, ({ account_id }) => account_id)]
  const lines = by_account.map(([account_id, some]) => {
    const count = some.reduce((sum, one) => sum + one.count, 0)
    const of = some.flatMap(one => (one.of === '' ? [] : one.of))
    const what = of.length > 0 ? of.join(', ') : String(count)
    const page = `${public_url}/console${place.replace(':account', account_id)}`
    return `${account_id}: ${what}${public_url === '' ? '' : ` ${page}`}`
  })
  return shortened(lines)
}

/** The rates, or the accounts, of a page that shows all of them. */
function namesOf(news: readonly News[]): string[] {
  const names = new Set(news.map(({ account_id, of }) => of || account_id))
  names.delete('')
  return shortened([...names])
}

function shortened(lines: readonly string[]): string[] {
  const left = lines.length - MOST_NAMED
  return left > 0 ? [...lines.slice(0, MOST_NAMED), `and ${left} more`] : [...lines]
}
