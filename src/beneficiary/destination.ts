// The codes of a destination held against their standards, and written as these write them. Knows
// where in a destination each code stands; the standards have files of their own.
import type { Problem } from '../errors.ts'
import { isCountry } from '../party/country.ts'
import { invalid } from '../party/rules.ts'
import { bankCode, bankCodeFault, electronicForm } from './bank-code.ts'
import { ibanFault, ibanServes } from './iban.ts'
import { isKnownChain, isWalletAddress, plainAddress } from './wallet-address.ts'
import type { DestinationDetails } from './wire.ts'

type Bank = NonNullable<DestinationDetails['bank']>
type Wallet = NonNullable<DestinationDetails['wallet']>

/** Each IBAN, bank code and address that its standard refuses, in the member of the type. */
export function checkCodes({ type, bank, wallet }: DestinationDetails, path: string): Problem[] {
  if (type === 'bank' && bank !== undefined) return checkBankCodes(bank, `${path}.bank`)
  if (type === 'wallet' && wallet !== undefined) return checkAddress(wallet, `${path}.wallet`)
  return []
}

function checkBankCodes(bank: Bank, path: string): Problem[] {
  const codes = Object.entries(bank.bank_codes ?? {}).flatMap(([name, value]) => {
    const fault = bankCodeFault(name, value, bank.country)
    return fault === undefined ? [] : [invalid(`${path}.bank_codes.${name}`, fault)]
  })
  return [...checkIban(bank, path), ...codes]
}

function checkIban({ iban: sent, country, account_number }: Bank, path: string): Problem[] {
  if (sent === undefined) return []
  const iban = electronicForm(sent)
  const fault = ibanFault(iban)
  if (fault !== undefined) return [invalid(`${path}.iban`, fault)]
  // Of two accounts, which one the country belongs to is not known.
  if (country === undefined || account_number !== undefined) return []
  if (!isCountry(country) || ibanServes(iban, country)) return []
  // The check digits vouch for the country in the IBAN, so that the other one is wrong.
  const message = `The IBAN is of ${iban.slice(0, 2)}, the country is ${country}.`
  return [invalid(`${path}.country`, message)]
}

function checkAddress({ deposit_address, type = '' }: Wallet, path: string): Problem[] {
  if (isWalletAddress(plainAddress(deposit_address), type)) return []
  const chain = isKnownChain(type) ? type.trim() : 'any known chain'
  const message = `Not an address of ${chain}, or its checksum is wrong.`
  return [invalid(`${path}.deposit_address`, message)]
}

/** The destination as it is kept: codes as their standards write them, other text as it came. */
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
