// Formats values for pages. Pure.
import { makerName } from '../accounts/maker.ts'
import { DAY_MS } from '../values/instant.ts'
import { groupedMajor } from '../values/money/words.ts'
import { type Content, type Html, html } from '../values/text/html.ts'
import type { Json, JsonObject } from './api.ts'

/** `1,234.50 USD`, from minor units as text. */
export function money(amount: string, currency: string): Html {
  return html`<span class="money">${digits(amount, currency)}&nbsp;${currency}</span>`
}

/** `-1,234.50` from minor units; other text, or an unknown currency, as it is. */
export function digits(amount: string, currency: string): string {
  return /^-?\d+$/.test(amount) ? groupedMajor(BigInt(amount), currency) : amount
}

/** `-1234.50`, as programs read it. */
export function plain(amount: string, currency: string): string {
  return digits(amount, currency).replaceAll(',', '')
}

/** In UTC. A script adds the reader's zone. */
export function time(at: string | null | undefined): Content {
  if (!at) return html`<span class="faint">–</span>`
  const text = `${at.slice(0, 10)} ${at.slice(11, 19)} UTC`
  return html`<time datetime="${at}">${text}</time>`
}

/** A day of a table, which breaks into no two lines. */
export function day(text: string): Html {
  return html`<span class="day">${text}</span>`
}

/** To the minute, for a table. */
export function when(at: string): Html {
  return html`<time datetime="${at}" data-short>${at.slice(0, 10)} ${at.slice(11, 16)}</time>`
}

const HOUR_MS = 3_600_000
const MINUTE_MS = 60_000

/** `3 d`, `5 h`, `12 min`, `under a minute`, between two instants. */
export function age(since: string, now: string): string {
  const passed = Date.parse(now) - Date.parse(since)
  if (passed >= DAY_MS) return `${Math.trunc(passed / DAY_MS)} d`
  if (passed >= HOUR_MS) return `${Math.trunc(passed / HOUR_MS)} h`
  return passed >= MINUTE_MS ? `${Math.trunc(passed / MINUTE_MS)} min` : 'under a minute'
}

const TONES: Readonly<Record<string, string>> = {
  succeeded: 'good',
  approved: 'good',
  delivered: 'good',
  active: 'good',
  enabled: 'good',
  cleared: 'good',
  'in order': 'good',
  met: 'good',
  excess: 'good',
  proved: 'good',
  failed: 'bad',
  reversed: 'bad',
  rejected: 'bad',
  dead: 'bad',
  disabled: 'bad',
  frozen: 'bad',
  confirmed: 'bad',
  stale: 'bad',
  'not in order': 'bad',
  'not approved': 'bad',
  shortfall: 'bad',
  above: 'bad',
  only_one: 'wait',
  gap: 'bad',
  overlap: 'bad',
  sum_differs: 'bad',
  pending_approval: 'wait',
  compliance_hold: 'wait',
  requires_action: 'wait',
  pending: 'wait',
  open: 'wait',
  'not proved': 'wait',
  paused: 'wait',
}

/** In words, never by its colour alone. */
export function state(status: string): Html {
  return html`<span class="state ${TONES[status] ?? 'calm'}">${words(status)}</span>`
}

/** `pending_approval` is `pending approval`. */
export function words(name: string): string {
  return name.replaceAll('_', ' ')
}

/** A maker in a list: `ada`, `operator`, `API key …6qs1`. */
export function makerWords(maker: string): string {
  const name = makerName(maker, new Map())
  return name.startsWith('key_') ? `API key …${name.slice(-4)}` : name
}

/** Below the root, by the prefix of the id. */
const PLACES: Readonly<Record<string, string>> = {
  pot: 'payouts',
  cnv: 'conversions',
  pob: 'batches',
  pim: 'approvals',
  poq: 'quotes',
  bnf: 'beneficiaries',
  ent: 'entities',
  btr: 'transactions',
  evt: 'events',
  whe: 'webhooks',
}

const INSTALLATION_PLACES = ['payouts', 'entities']

const ID = /^([a-z]{3})_[0-9a-hjkmnp-tv-z]{20}$/

/** Undefined when there is none. */
export function pageOf(root: string, id: string): string | undefined {
  const place = PLACES[ID.exec(id)?.[1] ?? '']
  if (place === undefined) return undefined
  const hasPage = !root.endsWith('/installation') || INSTALLATION_PLACES.includes(place)
  return hasPage ? `${root}/${place}/${id}` : undefined
}

/** The script puts a button here that copies `text`. `label` says more than the button's name. */
export function copier(name: string, text: string, label = name): Html {
  return html`<span data-copy="${text}" data-name="${name}" data-label="${label}"></span>`
}

/** The script puts a button here that copies the whole address of a path. */
export function linkCopier(name: string, path: string): Html {
  return html`<span data-copy="${path}" data-name="${name}" data-path></span>`
}

export function link(to: string, shown: Content): Html {
  return html`<a href="${to}">${shown}</a>`
}

/** A link if it has a page. */
export function idLink(root: string, id: string): Html {
  const page = pageOf(root, id)
  const code = html`<code>${id}</code>`
  return page === undefined ? code : link(page, code)
}

function isEmpty(value: Json | undefined): boolean {
  if (value === undefined || value === null || value === '') return true
  if (Array.isArray(value)) return value.length === 0
  return typeof value === 'object' && Object.values(value).every(isEmpty)
}

/** Beside the heading of the page. */
export function mainLink(to: string, name: string): Html {
  return html`<p class="acts"><a class="button" href="${to}">${name}</a></p>`
}

/** Leaves out empty values. */
export function facts(pairs: readonly (readonly [string, Content])[]): Html {
  const set = pairs.filter(([, value]) => value != null && value !== '' && value !== false)
  return html`<dl class="facts">${set.map(
    ([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`,
  )}</dl>`
}

/** The label of an inner member begins with the outer name. Ids are links. */
export function members(root: string, { object: _, ...object }: JsonObject): Html {
  return facts(flat(root, object, ''))
}

function flat(root: string, object: JsonObject, prefix: string): [string, Content][] {
  return Object.entries(object).flatMap(([name, value]) => {
    if (isEmpty(value)) return []
    if (isObject(value)) return flat(root, value, `${words(name)} `)
    const own = labelOf(name)
    // “bank name”, not “bank bank name”.
    const label = own.startsWith(prefix) ? own : `${prefix}${own}`
    const shown =
      name === 'made_by' && typeof value === 'string' ? makerWords(value) : memberValue(root, value)
    return [[label, shown] as [string, Content]]
  })
}

/** `iban` as IBAN, `aba_code` as “ABA code”, `line1` as “line 1”. */
function labelOf(name: string): string {
  return words(name)
    .replace(/\b(aba|ach|bic|bsb|cnaps|iban|ifsc|swift)\b/g, code => code.toUpperCase())
    .replace(/^line(\d)$/, 'line $1')
}

function isObject(value: Json): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function memberValue(root: string, value: Json): Content {
  if (value === null) return ''
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (isObject(value)) return members(root, value)
  if (typeof value !== 'string') {
    return html`<ul class="plain">${value.map(
      item => html`<li>${memberValue(root, item)}</li>`,
    )}</ul>`
  }
  if (ID.test(value)) return idLink(root, value)
  return /^\d{4}-\d\d-\d\dT[\d:.]+(Z|\+00:00)$/.test(value) ? time(value) : value
}
