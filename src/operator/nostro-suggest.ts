// Shows what may explain an open line of a nostro, and the command that accepts it.
import { Type } from '../http/type.ts'
import type { Sql } from '../sql/connect.ts'
import { caseNumber } from '../treasury/match/case-id.ts'
import { findLines, findSurroundings } from '../treasury/match/open-store.ts'
import { listPaidBefore } from '../treasury/match/refund-store.ts'
import { type Candidate, suggest as suggestFor } from '../treasury/match/suggest.ts'
import { moneyWords } from '../values/money/words.ts'
import { reading } from './action.ts'
import {
  CandidateResponse,
  itemColumns,
  LineResponse,
  lineColumns,
  PATHS,
  presentCandidate,
  presentLine,
  presentRefund,
  RefundResponse,
  refundColumns,
} from './nostro-shown.ts'
import { known } from './operator-write.ts'

const SUGGEST_HELP = `
Rank 5 has the same key and another amount, 6 the amount, the payee's account
and the date, 7 several items or lines that sum up, 8 the amount with the date
or the name. A person decides: corridor nostro match accepts one.

A wallet that was paid may send money back: its payouts are shown below. The
whole amount reverses its payout at the payee's wish, and its item then explains
the line; another amount is credited to the account.

Example:
  corridor nostro suggest line_42`

export const SuggestionsResponse = Type.Object(
  {
    line: LineResponse,
    candidates: Type.Array(CandidateResponse),
    refund_of: Type.Array(RefundResponse, {
      description:
        'Payouts that have paid the wallet which sent the line, the same amount first, then the ' +
        'newest; at most 5.',
    }),
    may_book: Type.Boolean({
      description: 'Whether nothing of the books may explain it, so that it can be booked.',
    }),
  },
  { title: 'MatchSuggestions', description: 'What may explain an open line, the best first.' },
)

export const suggest = reading({
  name: 'nostro suggest',
  path: '/v3/operator/nostro_line/:id/suggestion',
  operationId: 'suggestMatches',
  summary: 'Show what may explain an open line of a bank, the best first.',
  params: PATHS.line,
  response: SuggestionsResponse,
  find: async (audit, { id }) => suggestions(audit, id),
  command: {
    words: ({ line, candidates, refund_of, may_book }) => ({
      parts: [
        { rows: [lineColumns(line)] },
        {
          rows: candidates.flatMap(candidate => candidateRows(candidate)),
          none: may_book
            ? `nothing found; corridor nostro book ${line.id} --as cost books it`
            : 'nothing found',
        },
        ...candidates.slice(0, 1).map(best => `\n  ${acceptCommand(line.id, best)}`),
        ...(refund_of.length === 0 ? [] : [{ rows: refund_of.map(refundColumns) }]),
      ],
    }),
    subject: 'line',
    listed: 'nostro lines',
    options: { id: 'line id, as corridor nostro lines shows it' },
    help: SUGGEST_HELP,
  },
})

type Shown = ReturnType<typeof presentCandidate>

function candidateRows({ rank, items, lines, rest, reason }: Shown) {
  const rows = [...items.map(itemColumns), ...lines.map(lineColumns)].slice(0, 12)
  return rows.map((row, i) => ({
    rank: i === 0 ? String(rank) : '',
    'item or line': row.item ?? row.line ?? '',
    day: row.day ?? '',
    amount: row.amount ?? '',
    who: row.who ?? '',
    why: i === 0 ? reason : '',
    rest: i === 0 && rest !== '0' ? moneyWords(BigInt(rest), items[0]?.currency ?? '') : '',
  }))
}

/** The command that accepts a candidate. */
function acceptCommand(line: string, { items, lines, rest }: Shown): string {
  const all = [line, ...lines.map(({ id }) => id)].join(',')
  const rest_as = rest === '0' ? '' : ' --rest-as cost'
  const named = items.map(({ id }) => id).join(',')
  return `corridor nostro match --lines ${all} --items ${named}${rest_as}`
}

async function suggestions(audit: Sql, id: string) {
  const [line] = await findLines(audit, [caseNumber('line', id)])
  const found = known('line', id, line)
  const [around] = found.match === null ? await findSurroundings(audit, [found]) : []
  const candidates = around === undefined ? [] : suggestFor(around)
  return {
    line: presentLine(found),
    candidates: candidates.map(presentCandidate),
    refund_of: (await listPaidBefore(audit, found.id)).map(paid => presentRefund(found, paid)),
    may_book: found.match === null && !candidates.some(explains),
  }
}

/** Booking a line that items explain would book the money twice. */
function explains({ rule }: Candidate): boolean {
  return rule === 'several' || rule === 'other_amount'
}
