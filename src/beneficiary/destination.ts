// Checks the codes of a destination against their standards, and writes them in their standard
// form. The standards are in bank-code.ts, iban.ts and wallet-address.ts.
import { invalidField, type Problem } from '../errors.ts'
import { chainFault, findChain, tokenFault } from '../network/chain.ts'
import { keyForms, paymentNetworkFault } from '../network/payment.ts'
import { bankCode, bankCodeFault, electronicForm } from './bank-code.ts'
import { checkCountries } from './country.ts'
import { ibanFault } from './iban.ts'
import type { DestinationDetails } from './request.ts'
import { isWalletAddress, plainAddress } from './wallet-address.ts'

type Bank = NonNullable<DestinationDetails['bank']>
type Wallet = NonNullable<DestinationDetails['wallet']>
type PaymentNetworkKey = NonNullable<DestinationDetails['local_payment_network']>

/** The problems of codes, addresses, keys and networks, in the member of the destination's type. */
export function checkCodes(details: DestinationDetails, path: string): Problem[] {
  const { type, bank, wallet, local_payment_network } = details
  if (type === 'bank' && bank !== undefined) return checkBank(bank, `${path}.bank`)
  if (type === 'wallet' && wallet !== undefined) return checkWallet(wallet, `${path}.wallet`)
  if (type === 'local_payment_network' && local_payment_network !== undefined) {
    return checkKey(local_payment_network, `${path}.local_payment_network`)
  }
  return []
}

function checkBank(bank: Bank, path: string): Problem[] {
  const { iban, account_number, country, bank_codes = {} } = bank
  const codes = Object.entries(bank_codes).flatMap(([name, value]) =>
    faultAt(`${path}.bank_codes.${name}`, bankCodeFault(name, value, country)),
  )
  const fault = iban === undefined ? undefined : ibanFault(electronicForm(iban))
  if (fault !== undefined) return [invalidField(`${path}.iban`, fault), ...codes]
  // With two accounts, it is unknown which one the country belongs to.
  const both = iban !== undefined && account_number !== undefined
  const countries = both ? [] : checkCountries(bank, path)
  return [...checkAccount(account_number, path), ...countries, ...codes]
}

/** Refuses an IBAN sent as an account number, which would hide the country of the account. */
function checkAccount(account_number: string | undefined, path: string): Problem[] {
  if (account_number === undefined) return []
  if (ibanFault(electronicForm(account_number)) !== undefined) return []
  return [invalidField(`${path}.account_number`, 'This is an IBAN; send it as iban.')]
}

function checkWallet({ deposit_address, type, currency }: Wallet, path: string): Problem[] {
  if (type === undefined || type.trim() === '') {
    return [invalidField(`${path}.type`, 'type is required: the chain that the address is of.')]
  }
  const unknown = chainFault(type)
  if (unknown !== undefined) return [invalidField(`${path}.type`, unknown)]
  const token = currency === undefined ? undefined : tokenFault(currency, type)
  const wrong = `Not an address of ${findChain(type)?.type}, or its checksum is wrong.`
  const address = isWalletAddress(plainAddress(deposit_address), type) ? undefined : wrong
  return [...faultAt(`${path}.currency`, token), ...faultAt(`${path}.deposit_address`, address)]
}

function faultAt(path: string, fault: string | undefined): Problem[] {
  return fault === undefined ? [] : [invalidField(path, fault)]
}

/**
 * Checks a key against the forms of its network. The type is optional if the network has only one.
 */
function checkKey(details: PaymentNetworkKey, path: string): Problem[] {
  const { type, deposit_key_type = '', deposit_key = '' } = details
  const fault = paymentNetworkFault('', type)
  if (fault !== undefined) return [invalidField(`${path}.type`, fault)]
  const forms = keyForms(type)
  const types = [...new Set(forms.map(form => form.type))]
  const wanted = deposit_key_type.trim().toLowerCase() || (types.length === 1 ? types[0] : '')
  const known = `keys of ${type} are of type ${types.join(', ')}.`
  const problems: Problem[] = []
  const fitting = forms.filter(form => form.type === wanted)
  if (wanted === '') {
    problems.push(
      invalidField(`${path}.deposit_key_type`, `deposit_key_type is required: ${known}`),
    )
  } else if (fitting.length === 0) {
    problems.push(
      invalidField(`${path}.deposit_key_type`, `deposit_key_type is not valid: ${known}`),
    )
  }
  if (deposit_key.trim() === '') {
    problems.push(invalidField(`${path}.deposit_key`, 'deposit_key is required.'))
  } else if (fitting.length > 0 && !fitting.some(({ pattern }) => pattern.test(deposit_key))) {
    const title = fitting.map(form => form.title).join('; ')
    problems.push(invalidField(`${path}.deposit_key`, `${title}; this value is not valid.`))
  }
  return problems
}

/** An account number without what people write in and before it: spaces, marks, leading zeros. */
export function bareNumber(account_number: string): string {
  return account_number.replace(/[^\p{L}\p{N}]/gu, '').replace(/^0+(?=.)/, '')
}

/** The destination as stored: codes in their standard form, other text as sent. */
export function canonicalDestination(details: DestinationDetails): DestinationDetails {
  const { bank, wallet } = details
  return {
    ...details,
    ...(bank && { bank: canonicalBank(bank) }),
    ...(wallet && {
      wallet: { ...wallet, deposit_address: plainAddress(wallet.deposit_address) },
    }),
  }
}

function canonicalBank(bank: Bank): Bank {
  const { iban, bank_codes, country } = bank
  return {
    ...bank,
    ...(iban !== undefined && { iban: electronicForm(iban) }),
    ...(bank_codes && {
      bank_codes: Object.fromEntries(
        Object.entries(bank_codes).map(([name, value]) => [name, bankCode(name, value, country)]),
      ),
    }),
  }
}
