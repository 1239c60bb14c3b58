// The page of all networks: local networks, local payment networks, and chains. Pure.
import { bankingCountry } from '../parties/beneficiary/country.ts'
import { groupedMajor } from '../values/money/words.ts'
import { CHAINS } from '../values/network/chain.ts'
import { NETWORKS, type Network } from '../values/network/local.ts'
import { PAYMENT_NETWORKS, type PaymentNetwork } from '../values/network/payment.ts'
import { type Page, pageOf } from './page.ts'

/** The head of a table of networks. */
export const NETWORK_TABLE =
  '| network | its name in requests | type of payout | currency | smallest | largest |\n' +
  '| --- | --- | --- | --- | ---: | ---: |'

export function localRow({ title, name, currency, limits }: Network): string {
  const [least, most] = [boundOf(limits.minimum, currency), boundOf(limits.maximum, currency)]
  return `| ${title} | \`${name}\` | \`local\` | ${currency} | ${least} | ${most} |`
}

export function paymentRow({ title, name, currency }: PaymentNetwork): string {
  return `| ${title} | \`${name}\` | \`local_payment_network\` | ${currency} |  |  |`
}

function boundOf(amount: bigint | null, currency: string): string {
  return amount === null ? '' : groupedMajor(amount, currency)
}

/** `nameOf` names a country. One kind of network at a time. */
export function* networksPage(nameOf: (country: string) => string): Generator<void, Page> {
  const link = (code: string) =>
    `[${nameOf(code)}](/docs/countries/${bankingCountry(code).toLowerCase()})`
  const reach = (countries: readonly string[]) => countries.map(link).join(', ')
  const local = NETWORKS.map(({ currency, name, title, countries, limits }) => {
    const { minimum, maximum } = limits
    const least = minimum !== null && ` The smallest payment is ${boundOf(minimum, currency)}.`
    const most = maximum !== null && ` The largest payment is ${boundOf(maximum, currency)}.`
    return (
      `### ${currency} ${name}: ${title}\n\n` +
      `A payout of type \`local\` with the network \`${name}\` pays ${currency} to accounts in ` +
      `${reach(countries)}.${least || ''}${most || ''}`
    )
  })
  yield
  const byKey = PAYMENT_NETWORKS.map(({ currency, name, title, countries, keys }) => {
    const types = [...new Set(keys.map(({ type }) => `\`${type}\``))].join(', ')
    return (
      `### ${currency} ${name} by key: ${title}\n\n` +
      `A payout of type \`local_payment_network\` with the type \`${name}\` pays ${currency} in ` +
      `${reach(countries)} to a key: ${types}.`
    )
  })
  yield
  const chains = CHAINS.map(
    ({ type, network, title, currencies }) =>
      `### ${type}: ${title}\n\n` +
      `A payout of type \`wallet\` on \`${type}\` (${network}) pays ${currencies.join(' and ')}.`,
  )
  const parts = [
    '# Networks',
    'Every network that a payout can name, with its currency, its countries and its bounds.',
    'A rail of the operator must carry the network: `POST /v3/payout/options` says which ways ' +
      'are open. A network’s operator has published the bounds; a bank may set lower ones.',
    '## Local networks',
    ...local,
    '## Local payment networks',
    'They pay to a key, such as a telephone number, and not to a bank account.',
    ...byKey,
    '## Chains of wallets',
    ...chains,
  ]
  return pageOf('networks', 'Countries', `${parts.join('\n\n')}\n`)
}
