// The pages about countries: the networks of each, and what a beneficiary there must have, from the
// table that also checks payouts. Pure.
import { bankingCountry } from '../parties/beneficiary/country.ts'
import {
  type Alternative,
  alternativesOf,
  matchingPaymentNetworks,
  type Need,
} from '../quotes/requirement/alternatives.ts'
import { exampleOf } from '../quotes/requirement/discovery.ts'
import type { Field } from '../quotes/requirement/fields.ts'
import { COUNTRIES, countryName } from '../values/network/country.ts'
import { NETWORKS, type Network } from '../values/network/local.ts'
import type { PaymentNetwork } from '../values/network/payment.ts'
import { localRow, NETWORK_TABLE, paymentRow } from './networks.ts'
import { type Page, pageOf } from './page.ts'
import { fence } from './snippets.ts'

/** A territory has the page of the country whose IBANs or routing numbers it uses. */
export function placeOfCountry(code: string): string {
  return `countries/${bankingCountry(code).toLowerCase()}`
}

/** One country at a time. The first page lists all countries. */
export function* countryPages(): Generator<void, Page[]> {
  const networks = networksByCountry()
  const pages: Page[] = []
  for (const code of COUNTRIES) {
    yield
    if (bankingCountry(code) === code) {
      const text = countryText(code, networks.get(code) ?? [])
      pages.push({ ...pageOf(placeOfCountry(code), 'Countries', text), unlisted: true })
    }
  }
  yield
  return [listPage(networks), ...pages.toSorted((a, b) => a.title.localeCompare(b.title, 'en'))]
}

function listPage(networks: NetworksByCountry): Page {
  const names = [...COUNTRIES].map(code => ({ code, name: countryName(code) }))
  const sorted = names.toSorted((a, b) => a.name.localeCompare(b.name, 'en'))
  const byLetter = Map.groupBy(sorted, ({ name }) => name.normalize('NFD').charAt(0))
  const lists = Array.from(byLetter, ([letter, theirs]) => {
    const lines = theirs.map(({ code, name }) => {
      const own = networks.get(bankingCountry(code)) ?? []
      const currencies = [...new Set(own.map(({ currency }) => currency))].join(', ')
      return `- [${name}](/docs/${placeOfCountry(code)}) ${code} · ${currencies || 'by SWIFT'}`
    })
    return `## ${letter}\n\n${lines.join('\n')}`
  })
  const markdown = `# Countries

What a payout to each country needs: its networks, the fields of a beneficiary, and examples.

Behind each country are its code and the currencies that a local network carries to it.
[Networks](/docs/networks) lists the networks of all countries.

${lists.join('\n\n')}
`
  return pageOf('countries', 'Countries', markdown)
}

type NetworksByCountry = ReadonlyMap<string, readonly Network[]>

function networksByCountry(): NetworksByCountry {
  const found = new Map<string, Network[]>()
  for (const network of NETWORKS) {
    for (const country of new Set(network.countries.map(bankingCountry))) {
      found.getOrInsertComputed(country, () => []).push(network)
    }
  }
  return found
}

function countryText(code: string, locals: readonly Network[]): string {
  const name = countryName(code)
  const payments = matchingPaymentNetworks({ ...ANYWHERE, country: code })
  const others = [...COUNTRIES].filter(one => one !== code && bankingCountry(one) === code)
  const also = others.map(countryName).join(', ')
  const rows = [...locals.map(localRow), ...payments.map(paymentRow)]
  const parts = [
    `# Pay to ${name}`,
    `What a payout to ${name} (${code}) needs: networks, fields of the beneficiary, and examples.`,
    ...(also === '' ? [] : [`Accounts here count as accounts in ${name}, too: ${also}.`]),
    `## Networks of ${name}`,
    rows.length === 0
      ? 'No local network is known. Pay by SWIFT.'
      : `Name the network in the payout, or leave it out.\n\n${NETWORK_TABLE}\n${rows.join('\n')}`,
    ...[...new Set(locals.map(({ currency }) => currency))].map(one => localText(code, one)),
    ...payments.map(keyText),
    swiftText(code),
  ]
  return `${parts.join('\n\n')}\n`
}

const ANYWHERE = { type: 'local_payment_network', currency: '', country: '', network: '' } as const

function localText(country: string, currency: string): string {
  const query = `currency=${currency}&country=${country}`
  const subject = { type: 'local', currency, country, network: '' } as const
  const ways = alternativesOf(subject).map(alternative => {
    const by = alternative.account === 'iban' ? 'IBAN' : 'account number'
    const over = alternative.networks.join(', ')
    return `### ${currency} by ${by}, over ${over}\n\n${alternativeText(alternative)}`
  })
  return [
    `## Fields for a local payout in ${currency}`,
    `\`GET /v3/payout/requirements?${query}\` answers the same for programs.`,
    ...ways,
  ].join('\n\n')
}

function swiftText(country: string): string {
  const subject = { type: 'swift', currency: '', country, network: '' } as const
  const ways = alternativesOf(subject).map(alternativeText)
  return ['## Fields for a payout by SWIFT', ...ways].join('\n\n')
}

/** The members with their examples, then `beneficiary_details` with all that is required. */
function alternativeText({ needs, optional }: Alternative): string {
  const lines = [
    ...needs.map(needLine),
    ...optional.map(field => `- ${memberText(field)} Not required.`),
  ]
  return `${lines.join('\n')}\n\n${exampleText(needs)}`
}

function needLine({ field, instead }: Need): string {
  const others = instead.map(({ path }) => `\`${path}\``).join(' or ')
  return `- ${memberText(field)}${others && ` ${others} can stand for it.`}`
}

function memberText({ path, description, example }: Field): string {
  return `\`${path}\` · ${description} Example: \`${example}\`.`
}

function exampleText(needs: readonly Need[]): string {
  const details = exampleOf(needs.map(({ field }) => field))
  return fence('json beneficiary_details', JSON.stringify(details, null, 2))
}

/** The forms of the keys of a local payment network, and an example by the first of them. */
function keyText({ name, currency, title, countries, keys }: PaymentNetwork): string {
  const rows = keys.map(form => `| \`${form.type}\` | ${form.title} | \`${form.example}\` |`)
  const [country = ''] = countries
  const [first] = alternativesOf({ ...ANYWHERE, currency, country, network: name })
  return [
    `## Fields for ${title} (${name}) in ${currency}`,
    'A payout of type `local_payment_network` pays to a key:',
    ['| type of key | form | example |', '| --- | --- | --- |', ...rows].join('\n'),
    ...(first === undefined ? [] : [exampleText(first.needs)]),
  ].join('\n\n')
}
