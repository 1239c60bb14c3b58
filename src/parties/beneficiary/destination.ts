// Checks the codes of a destination against their standards, and writes them in their standard
// form. The standards are in bank-code.ts, iban.ts and wallet-address.ts.
import { invalidField, type Problem } from '../../values/errors.ts'
import { chainFault, findChain, tokenFault } from '../../values/network/chain.ts'
import {
  bareKey,
  formsOf,
  keyForms,
  keyType,
  paymentNetworkFault,
} from '../../values/network/payment.ts'
import { bankCode, bankCodeFault, bankCodeNameFault, electronicForm } from './bank-code.ts'
import { checkWordCount } from './contact.ts'
import { checkCountries } from './country.ts'
import { ibanFault } from './iban.ts'
import type { DestinationDetails } from './request.ts'
import { isWalletAddress, plainAddress, tokenAt } from './wallet-address.ts'

type Bank = NonNullable<DestinationDetails['bank']>
type Wallet = NonNullable<DestinationDetails['wallet']>
type PaymentNetworkKey = NonNullable<DestinationDetails['local_payment_network']>

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
  const { iban, account_number, country, bank_codes = {}, bank_name } = bank
  const codes = Object.entries(bank_codes).flatMap(([name, value]) =>
    faultAt(
      `${path}.bank_codes.${name}`,
      bankCodeNameFault(name) ?? bankCodeFault(name, value, country),
    ),
  )
  const named = checkWordCount(bank_name, `${path}.bank_name`)
  const fault = iban === undefined ? undefined : ibanFault(electronicForm(iban))
  if (fault !== undefined) return [invalidField(`${path}.iban`, fault), ...codes, ...named]
  // With two accounts, it is unknown which one the country belongs to.
  const both = iban !== undefined && account_number !== undefined
  const countries = both ? [] : checkCountries(bank, path)
  return [...checkAccount(account_number, path), ...countries, ...codes, ...named]
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
  const address = walletFault(plainAddress(deposit_address), type)
  return [...faultAt(`${path}.currency`, token), ...faultAt(`${path}.deposit_address`, address)]
}

function walletFault(address: string, type: string): string | undefined {
  if (!isWalletAddress(address, type)) {
    return `Not an address of ${findChain(type)?.type}, or its checksum is wrong.`
  }
  const token = tokenAt(address)
  return token && `The address of ${token} itself: what it receives is lost. Send the payee's own.`
}

/** The problem of a fault at this path; none without a fault. */
export function faultAt(path: string, fault: string | undefined): Problem[] {
  return fault === undefined ? [] : [invalidField(path, fault)]
}

/**
 * Checks a key against the forms of its network. The type may be left out where the key has one
 * form alone: eleven digits may be a CPF and a telephone number.
 */
function checkKey(details: PaymentNetworkKey, path: string): Problem[] {
  const { type, deposit_key = '' } = details
  const fault = paymentNetworkFault('', type)
  if (fault !== undefined) return [invalidField(`${path}.type`, fault)]
  const forms = keyForms(type)
  const types = [...new Set(forms.map(form => form.type))]
  const wanted = keyType(details.deposit_key_type ?? '')
  const known = `keys of ${type} are of type ${types.join(', ')}.`
  const fitting = formsOf(deposit_key, forms, wanted)
  if (wanted !== '' && !types.includes(wanted)) {
    const message = `deposit_key_type is not valid: ${known}`
    return [invalidField(`${path}.deposit_key_type`, message), ...checkSent(deposit_key, path)]
  }
  if (deposit_key.trim() === '') return checkSent(deposit_key, path)
  if (fitting.length === 0) {
    const named = forms.filter(form => wanted === '' || form.type === wanted)
    const title = [...new Set(named.map(form => form.title))].join('; ')
    return [invalidField(`${path}.deposit_key`, `${title}; this value is not valid.`)]
  }
  if (new Set(fitting.map(form => form.type)).size === 1) return []
  const message = `deposit_key_type is required for this key: ${known}`
  return [invalidField(`${path}.deposit_key_type`, message)]
}

function checkSent(deposit_key: string, path: string): Problem[] {
  return deposit_key.trim() === ''
    ? [invalidField(`${path}.deposit_key`, 'deposit_key is required.')]
    : []
}

/** An account number without spaces, marks and leading zeros, which people write differently. */
export function bareNumber(account_number: string): string {
  return account_number.replace(/[^\p{L}\p{N}]/gu, '').replace(/^0+(?=.)/, '')
}

/** The destination as stored: codes in their standard form, other text as sent. */
export function canonicalDestination(details: DestinationDetails): DestinationDetails {
  const { bank, wallet, local_payment_network: key } = details
  return {
    ...details,
    ...(key && { local_payment_network: canonicalKey(key) }),
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

function canonicalKey(key: PaymentNetworkKey): PaymentNetworkKey {
  const { type, deposit_key_type = '', deposit_key = '' } = key
  const [form] = formsOf(deposit_key, keyForms(type), keyType(deposit_key_type))
  return form === undefined ? key : { ...key, deposit_key: bareKey(deposit_key, form) }
}
