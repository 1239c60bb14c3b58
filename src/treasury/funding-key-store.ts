// The SQL statements of funding keys, and of lines that may fund an account.
import type { TransactionSql } from '../sql/connect.ts'
import { sql as part, type Tag } from '../sql/sql.ts'
import { agreesWithBank } from './balance-store.ts'
import type { CreditLine, FundingKey } from './funding-key.ts'
import { hasItemOfItsKey } from './match/return-store.ts'

const COLUMNS = part`id, account_id, kind, value, nostro, currency, made_at, made_by, ended_at`

/** The transaction is confined to the account. */
export async function insertFundingKey(
  tx: TransactionSql,
  key: Omit<FundingKey, 'id' | 'made_at' | 'ended_at'>,
): Promise<FundingKey> {
  const { account_id, kind, value, nostro, currency, made_by } = key
  const [row] = await tx<FundingKey[]>`
    insert into funding_keys (account_id, kind, value, nostro, currency, made_by)
    values (${account_id}, ${kind}, ${value}, ${nostro}, ${currency}, ${made_by})
    returning ${COLUMNS}`
  if (row === undefined) throw new Error('a funding key without a row')
  return row
}

/** The key as it is then; undefined for an unknown one. */
export async function endFundingKey(sql: Tag, id: bigint): Promise<FundingKey | undefined> {
  const [row] = await sql<FundingKey[]>`
    update funding_keys set ended_at = statement_timestamp()
    where id = ${id}::bigint and ended_at is null returning ${COLUMNS}`
  return row
}

/** Oldest first; of one account, or all. */
export function listFundingKeys(sql: Tag, account_id?: string): Promise<FundingKey[]> {
  const whose = account_id === undefined ? part`true` : part`account_id = ${account_id}`
  return sql<FundingKey[]>`
    select ${COLUMNS} from funding_keys where ${whose} and ended_at is null order by id`
}

/** The live keys with one of these values. The transaction acts for the house. */
export function findFundingKeys(tx: TransactionSql, values: readonly string[]) {
  return tx<FundingKey[]>`
    select ${COLUMNS} from funding_keys
    where value = any (${[...values]}::text[]) and ended_at is null order by id`
}

/** The newest line; and what changes whenever an older one may have become creditable. */
export async function findCreditMark(sql: Tag): Promise<{ line: bigint; keys: string }> {
  const [row] = await sql<{ line: bigint; keys: string }[]>`
    select coalesce((select max(id) from bank_lines), 0) as line,
      concat_ws(' ', (select max(change_id) from audit_log where table_name = 'funding_keys'),
        (select lists_version from reference_version)) as keys`
  return row ?? { line: 0n, keys: '' }
}

type ReadLine = Omit<CreditLine, 'names_payout'>

/**
 * Open lines of money that came in for clients, in the currency of their nostro. A payment that
 * came back has a code that says so: RRTN of ISO 20022, RTI of MT940.
 */
const CREDIT_LINES = part`
  select l.id, l.nostro, l.currency, l.amount, l.booked_on::text, l.bank_reference,
    l.end_to_end_id, l.uetr, l.instruction, l.own_account, l.counterparty,
    l.counterparty_name, l.text,
    exists (select from bank_lines o where o.nostro = l.nostro and o.id <> l.id
      and o.bank_reference = l.bank_reference and l.bank_reference <> '') as reference_repeats,
    case when l.amount >= (n.settings ->> 'two_people_from')::bigint then (
      select f.received_at from bank_statements s join statement_files f using (sha256)
      where s.id = l.statement) end as keys_before
  from bank_lines l join nostros n on n.name = l.nostro
  where l.match is null and l.amount > 0 and n.purpose = 'client' and n.closed_at is null
    and l.currency = n.currency and l.code !~ '(^|[^A-Z])N?(RRTN|RTI)([^A-Z]|$)'`

/** Those after this line, oldest first. */
export function listCreditLines(sql: Tag, after: bigint, limit: number): Promise<ReadLine[]> {
  return sql<ReadLine[]>`
    ${CREDIT_LINES} and l.id > ${after}::bigint order by l.id limit ${limit}`
}

/**
 * Whether the line is an open credit of which no account has anything, that no open item explains,
 * and whose statement is proved: the lines of its nostro sum to the closing balance that the bank
 * has said last.
 */
export async function isCreditable(tx: TransactionSql, line: CreditLine): Promise<boolean> {
  const { id, nostro } = line
  const [row] = await tx<{ creditable: boolean }[]>`
    select exists (
        select from bank_lines l join bank_statements s on s.id = l.statement
        where l.id = ${id}::bigint and l.match is null and s.state = 'proved'
          and credited_of_line(l.id) = 0)
      and (select ${agreesWithBank(tx)} from nostros n where n.name = ${nostro}) as creditable`
  return row?.creditable === true && !(await hasItemOfItsKey(tx, id))
}

/** Undefined for a line that is no open credit for clients. */
export async function findCreditLine(sql: Tag, id: bigint): Promise<ReadLine | undefined> {
  const [row] = await sql<ReadLine[]>`${CREDIT_LINES} and l.id = ${id}::bigint`
  return row
}

/** Which of these texts are ids of payments of ours, or references that a rail gave them. */
export async function namesOfPayouts(
  audit: Tag,
  texts: readonly string[],
): Promise<ReadonlySet<string>> {
  const names = [...texts]
  const rows = await audit<{ name: string }[]>`
    select end_to_end_id as name from rail_items where end_to_end_id = any (${names}::text[])
    union
    select instruction_id from rail_items
    where instruction_id <> '' and instruction_id = any (${names}::text[])
    union
    select uetr from rail_items where uetr = any (${names}::text[])
    union
    select fold_reference(rail_reference) from payout_outcomes
    where rail_reference <> '' and fold_reference(rail_reference) = any (${names}::text[])`
  return new Set(rows.map(({ name }) => name))
}
