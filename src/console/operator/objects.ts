// What the console reads of the operator API's objects. Numbers are text, as api.ts reads them.
import type { JsonObject } from '../api.ts'
import type { Entity, Money, Payout } from '../objects.ts'

export interface DeskPayout extends JsonObject {
  readonly account_id: string
  readonly rail: string
  readonly rail_reference: string
  readonly taken_by: string
  readonly taken_at: string | null
}
export type DeskPayoutRow = DeskPayout & { readonly payout: Payout; readonly send: Money }

export type DeskPayoutInFull = DeskPayoutRow & {
  readonly account_name: string
  readonly under_review: boolean
  readonly screening: string | null
}

export interface DeskEntity {
  readonly account_id: string
  readonly payouts_held: string
  readonly screening: string | null
  readonly entity: Entity & { readonly updated_at: string }
}

export interface RailException {
  readonly account: string
  readonly payout: string
  readonly number: string
  readonly rail: string
  readonly kind: string
  readonly message: string
  readonly opened_at: string
}

export interface HeldByScreening {
  readonly id: string
  readonly of: 'payout' | 'entity' | 'beneficiary'
  readonly account_id: string
  readonly screening: string
  readonly delisted: boolean
  readonly status: string
  readonly since: string
}

export interface Match extends JsonObject {
  readonly party: string
  readonly list: string
  readonly entry_id: string
  readonly listed: boolean
  readonly score: string
  readonly state: string
  readonly decided_by: string
  readonly reason: string
}

export interface FailingEndpoint {
  readonly id: string
  readonly account_id: string
  readonly host: string
  readonly status: string
  readonly disabled_reason: string
  readonly dead: string
  readonly dead_since: string | null
}

export interface Rate {
  readonly base: string
  readonly quote: string
  readonly mid: string
  readonly source: string
  readonly as_of: string
  readonly pegged: boolean
  readonly sample: boolean
  readonly age_s: string | null
  readonly good_until: string | null
}

export interface Fee {
  readonly payout_type: string
  readonly payout_currency: string | null
  readonly destination_country: string | null
  readonly network: string | null
  readonly charge_type: string | null
  readonly fixed_amount: string
  readonly fee_currency: string
  readonly variable_bps: string
  readonly sample: boolean
}

export interface DeskAccount {
  readonly account_id: string
  readonly name: string
  readonly currencies: readonly string[]
  readonly primary_currency: string
  readonly sandbox: boolean
  readonly state: string
  readonly state_reason: string
  readonly created_at: string
  readonly deposit_address: string
  readonly balances: { readonly [currency: string]: string }
}

export interface DeskKey {
  readonly key_id: string
  readonly scope: string
  readonly name: string
  readonly owner: string
  readonly makes_only: boolean
  readonly created_at: string
  readonly revoked_at: string | null
  readonly last_used_at: string | null
}

export interface DeskRail extends JsonObject {
  readonly name: string
  readonly kind: string
  readonly paused: boolean
  readonly paused_reason: string
}

export interface RouteRow {
  readonly account_id: string | null
  readonly payout_type: string | null
  readonly network: string | null
  readonly currency: string | null
  readonly country: string | null
  readonly priority: string
  readonly rail: string
  readonly in_force: boolean
}

export interface ApprovalRule {
  readonly rule_id: string
  readonly account_id: string | null
  readonly payout_type: string | null
  readonly country: string | null
  readonly currency: string | null
  readonly new_payee: boolean
  readonly at_least: string | null
  readonly at_least_currency: string | null
  readonly approvers: string
  readonly expires_after_days: string
}

export interface Limit {
  readonly limit_id: string
  readonly account_id: string | null
  readonly each: string
  readonly rail: string | null
  readonly network: string | null
  readonly currency: string | null
  readonly per: string
  readonly cap: string
  readonly window: string
}

export interface AuditedChange {
  readonly change_id: string
  readonly table_name: string
  readonly changed_at: string
  readonly changed_by: string
  readonly act: string
  readonly via: string
  readonly reason: string
  readonly before: JsonObject | null
  readonly after: JsonObject | null
}

export interface Lists {
  readonly stale_after_s: string
  readonly required: readonly string[]
  readonly lists: readonly JsonObject[]
}

export interface DeskUser {
  readonly name: string
  readonly full_name: string
  readonly role: string
  readonly accounts: readonly { readonly account_id: string; readonly role: string }[]
  readonly last_seen_at: string | null
  readonly disabled_at: string | null
  readonly disabled_reason: string
}

export interface UpkeepRun {
  readonly kind: string
  readonly finished_at: string
  readonly well: boolean
  readonly told: string
}

export interface DeskFile {
  readonly msg_id: string
  readonly name: string
  readonly rail: string
  readonly format: string
  readonly settlement_account: string
  readonly currency: string
  readonly execution_date: string
  readonly item_count: string
  readonly control_sum: string
  readonly sha256: string
  readonly sealed_at: string
  readonly needs_release: boolean
  readonly approved_by: string
  readonly approved_at: string | null
  readonly state: string
  readonly reason: string
  readonly sent_at: string | null
}

export interface DeskFileInFull extends DeskFile {
  readonly digest: string
  readonly payments: readonly {
    readonly account_id: string
    readonly payout: string
    readonly end_to_end_id: string
    readonly amount: string
    readonly currency: string
  }[]
}

export interface RailFigure {
  readonly rail: string
  readonly days: string
  readonly payouts: string
  readonly succeeded: string
  readonly success_rate_bps: string
  readonly median_seconds: string | null
  readonly p95_seconds: string | null
}

export interface Income {
  readonly day: string
  readonly currency: string
  readonly fees: string
  readonly fx: string
}
