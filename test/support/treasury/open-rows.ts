// Nostros with lines of a bank and items of the books, written by SQL as an import and the derivation
// write them: for tests and benchmarks of what comes after.
import { createHash, randomUUID } from 'node:crypto'
import { rowsAsJson, type Sql } from '../../../src/sql/connect.ts'
import type { Nostro, NostroSettings } from '../../../src/treasury/nostro.ts'
import { insertNostro } from '../../../src/treasury/nostro-store.ts'

export interface GivenDetail {
  readonly amount: bigint
  readonly end_to_end_id?: string
  readonly uetr?: string
}

export interface GivenLine {
  readonly amount: bigint
  readonly currency?: string
  readonly day?: string
  readonly code?: string
  readonly end_to_end_id?: string
  readonly uetr?: string
  readonly instruction?: string
  readonly block?: string
  readonly file?: string
  readonly bank_reference?: string
  readonly own_account?: string
  readonly counterparty?: string
  readonly counterparty_name?: string
  readonly text?: string
  readonly details?: readonly GivenDetail[]
  /** Two lines with the same one are equal to the last letter. */
  readonly same?: string
}

export interface GivenItem {
  readonly amount: bigint
  readonly currency?: string
  readonly day?: string
  readonly kind?: string
  readonly account_id?: string
  readonly payout_id?: string
  readonly key?: string
  readonly uetr?: string
  readonly instruction?: string
  readonly block?: string
  readonly file?: string
  /** The account of its payee: the item is then of a payout that is written too. */
  readonly payee_account?: string
}

export const TODAY = new Date().toISOString().slice(0, 10)
export const ACCOUNT = 'acc_00000001'

/** A nostro that opened with nothing. */
export async function openNostro(
  owner: Sql,
  name: string,
  settings: NostroSettings = {},
  currency = 'EUR',
): Promise<Nostro> {
  const nostro: Nostro = {
    ...{ name, kind: 'bank', currency, institution: '', account: '', bic: '', purpose: 'client' },
    ...{ pool: 'none', rails: [], opening_balance: 0n, opening_on: '2026-01-01', closed_at: null },
    settings,
  }
  await insertNostro(owner, nostro)
  return nostro
}

/** Writes one statement with these lines. Returns their ids, in their order. */
export async function giveLines(
  owner: Sql,
  nostro: Pick<Nostro, 'name' | 'currency'>,
  lines: readonly GivenLine[],
): Promise<bigint[]> {
  const name = randomUUID()
  const rows = lines.map((line, i) => ({
    ...{ position: i + 1, currency: nostro.currency, day: TODAY, code: '', end_to_end_id: '' },
    ...{ uetr: '', instruction: '', block: '', file: '', bank_reference: '', counterparty: '' },
    own_account: '',
    ...{ counterparty_name: '', text: '', details: [], same: `${name} ${i}`, ...line },
  }))
  const days = rows.map(({ day }) => day).sort()
  const own = rows.filter(({ currency }) => currency === nostro.currency)
  const sum = own.reduce((total, { amount }) => total + amount, 0n)
  return owner.begin(async tx => {
    const sha256 = createHash('sha256').update(name).digest()
    await tx`
      insert into statement_files (sha256, size, name, state) values (${sha256}, 1, ${name}, 'read')`
    const [before] = await tx<{ opening: bigint }[]>`
      select (n.opening_balance + coalesce((select sum(l.amount) from bank_lines l
        where l.nostro = n.name and l.currency = n.currency), 0))::bigint as opening
      from nostros n where n.name = ${nostro.name}`
    const opening = before?.opening ?? 0n
    const [statement] = await tx<{ id: bigint }[]>`
      insert into bank_statements (id, sha256, nostro, format, statement_id, opened_on, closed_on,
        opening, closing, lines, amount, state)
      values (nextval('bank_statement_ids'), ${sha256}, ${nostro.name}, 'csv', ${name},
        ${days[0] ?? TODAY}::date, ${days.at(-1) ?? TODAY}::date, ${opening}, ${opening + sum}, ${lines.length}, ${sum}, 'proved')
      returning id`
    const written = await tx<{ id: bigint }[]>`
      insert into bank_lines (amount, statement, position, booked_on, value_on, occurrence, same,
        nostro, currency, code, end_to_end_id, uetr, instruction, block, file, bank_reference,
        own_account, counterparty, counterparty_name, text, details)
      select amount, ${statement?.id ?? 0n}, position, day, day, (coalesce(
          (select max(occurrence) from bank_lines o where o.nostro = ${nostro.name}
            and o.same = sha256(convert_to(r.same, 'UTF8'))), 0)
          + row_number() over (partition by r.same order by position))::integer,
        sha256(convert_to(r.same, 'UTF8')), ${nostro.name}, currency, code, end_to_end_id, uetr,
        instruction, block, file, bank_reference, own_account, counterparty, counterparty_name,
        text, details
      from json_to_recordset(${rowsAsJson(rows)}::json) as r (position integer, amount bigint,
        currency text, day date, code text, end_to_end_id text, uetr text, instruction text,
        block text, file text, bank_reference text, own_account text, counterparty text, counterparty_name text,
        text text, details jsonb, same text)
      order by position returning id`
    return written.map(({ id }) => id)
  })
}

/** Writes these items of the books. Returns their ids, in their order. */
export async function giveItems(
  owner: Sql,
  nostro: Pick<Nostro, 'name' | 'currency'>,
  items: readonly GivenItem[],
): Promise<bigint[]> {
  const rows = items.map((item, i) => ({
    ...{ place: i + 1, currency: nostro.currency, day: TODAY, account_id: ACCOUNT },
    payout_id: item.payee_account === undefined ? '' : payoutId(),
    ...{ kind: item.amount < 0n ? 'payout' : 'payout_return', key: '', uetr: '', block: '' },
    ...{ file: '', instruction: '', ...item },
  }))
  await givePayouts(owner, rows)
  const written = await owner<{ id: bigint }[]>`
    insert into nostro_items (amount, booked_at, number, value_on, nostro, currency, kind, account_id,
      payout_id, key, uetr, instruction, block, file)
    select amount, day, place + coalesce((select max(number) from nostro_items), 0), day,
      ${nostro.name}, currency, kind, account_id, payout_id, fold_reference(key), uetr, instruction,
      block, file
    from json_to_recordset(${rowsAsJson(rows)}::json) as r (place integer, amount bigint,
      currency text, day date, account_id text, payout_id text, kind text, key text, uetr text,
      instruction text, block text, file text)
    order by place returning id`
  return written.map(({ id }) => id)
}

let payouts = 0
const payoutId = () => `pot_${String(++payouts).padStart(20, '0')}`

/** Writes payouts to these accounts, as far as matching reads them, past every trigger. */
async function givePayouts(
  owner: Sql,
  rows: readonly (GivenItem & { readonly payout_id: string; readonly account_id: string })[],
): Promise<void> {
  const given = rows.flatMap(({ payee_account, payout_id: id, account_id }) => {
    if (payee_account === undefined) return []
    const bank = { account_number: payee_account }
    const beneficiary_details = { name: 'Ada', destination_details: { bank } }
    return [{ account_id, id, quote_id: id, beneficiary_details }]
  })
  if (given.length === 0) return
  await owner.begin(async tx => {
    await tx.unsafe('alter table payouts disable trigger user')
    await tx`
      insert into payouts select (jsonb_populate_record(null::payouts, ${JSON.stringify(ANY_PAYOUT)}::text::jsonb || g)).*
      from jsonb_array_elements(${JSON.stringify(given)}::text::jsonb) as g`
    await tx.unsafe('alter table payouts enable trigger user')
  })
}

const ANY_PAYOUT = {
  ...{ amount: 1, holding_amount: 1, fixed_fee: 0, variable_fee: 0, destination_amount: 1 },
  ...{ created_at: '2026-01-01T00:00:00Z', type: 'local', currency: 'EUR' },
  ...{ holding_currency: 'EUR', destination_currency: 'EUR', holding_to_payout: 1 },
  ...{ payout_to_destination: 1, holding_fx_id: '', payout_fx_id: '', balance_transaction_id: 'b' },
  ...{ beneficiary_id: 'bnf_1', particulars: {}, reference_id: '', on_behalf_of: '' },
  ...{ fund_transfer_network: '', charge_type: '', destination_country: '', first_rail: '' },
  ...{ mt103: '', import_keys: '', made_by: 'key_1' },
}

/** Bank less books, and open lines less open items, in minor units: they are equal. */
export async function identityOf(
  owner: Sql,
  { name, currency }: Pick<Nostro, 'name' | 'currency'>,
) {
  const [row] = await owner<{ difference: bigint; open: bigint }[]>`
    select
      (coalesce((select amount from nostro_totals where nostro = ${name} and side = 'bank'
        and currency = ${currency}), 0)
      - coalesce((select amount from nostro_totals where nostro = ${name} and side = 'book'
        and currency = ${currency}), 0))::bigint as difference,
      (coalesce((select sum(amount) from bank_lines where nostro = ${name} and match is null
        and currency = ${currency}), 0)
      - coalesce((select sum(amount) from nostro_items where nostro = ${name}
        and match is null and currency = ${currency}), 0))::bigint as open`
  if (row === undefined) throw new Error('no row')
  return row
}

/** The live matches of a nostro, by id: the rule, and the amounts of lines and items. */
export async function matchesOf(owner: Sql, { name }: Nostro) {
  return owner<{ rule: string; lines: string; items: string }[]>`
    select m.rule,
      (select string_agg(amount::text, ' ' order by id) from bank_lines where match = m.id) as lines,
      (select string_agg(amount::text, ' ' order by id) from nostro_items where match = m.id) as items
    from matches m where m.nostro = ${name} and m.undone_at is null order by m.id`
}
