// Check digits of national numbers, of taxpayers and of bank accounts. Each function takes a number
// of the right length without marks, and returns whether its check digits hold. Pure.

/** The sum of each digit times its weight. A letter counts as its ASCII code less 48. */
function weighted(text: string, weights: readonly number[]): number {
  return weights.reduce((sum, weight, i) => sum + (text.charCodeAt(i) - 48) * weight, 0)
}

/** The digit of modulus 11 of Brazil's numbers, in which remainders below 2 give 0. */
function brazilian(text: string, weights: readonly number[]): string {
  const remainder = weighted(text, weights) % 11
  return String(remainder < 2 ? 0 : 11 - remainder)
}

const CPF = [11, 10, 9, 8, 7, 6, 5, 4, 3, 2]
const CNPJ = [6, 5, 4, 3, 2, 9, 8, 7, 6, 5, 4, 3, 2]

/** A CPF of 11 digits. One digit repeated is none. Source: Receita Federal do Brasil. */
export function isCpf(number: string): boolean {
  if (/^(.)\1*$/.test(number)) return false
  return hasBrazilianDigits(number, CPF)
}

/** A CNPJ of 14 letters and digits. Source: Receita Federal, IN 2229/2024. */
export function isCnpj(number: string): boolean {
  if (/^(.)\1*$/.test(number)) return false
  return hasBrazilianDigits(number, CNPJ)
}

function hasBrazilianDigits(number: string, weights: readonly number[]): boolean {
  const body = number.slice(0, -2)
  const first = brazilian(body, weights.slice(1))
  return number === body + first + brazilian(body + first, weights)
}

/** A RUT of Chile: digits, and a last digit or K. Source: Servicio de Impuestos Internos. */
export function isRut(number: string): boolean {
  const digits = Array.from(number.slice(0, -1), Number).toReversed()
  const sum = digits.reduce((total, digit, i) => total + digit * (2 + (i % 6)), 0)
  const check = 11 - (sum % 11)
  return number.at(-1) === ({ 10: 'K', 11: '0' }[check] ?? String(check))
}

/** The digit that makes a weighted sum a multiple of 10. */
function tens(text: string, weights: readonly number[]): string {
  return String((10 - (weighted(text, weights) % 10)) % 10)
}

const CBU_BANK = [7, 1, 3, 9, 7, 1, 3]
const CBU_ACCOUNT = [3, 9, 7, 1, 3, 9, 7, 1, 3, 9, 7, 1, 3]

/** A CBU or CVU of 22 digits. Source: Banco Central de la República Argentina. */
export function isCbu(number: string): boolean {
  const account = number.slice(8)
  return number[7] === tens(number, CBU_BANK) && account[13] === tens(account, CBU_ACCOUNT)
}

const NUBAN = [3, 7, 3, 3, 7, 3, 3, 7, 3, 3, 7, 3]

/** A NUBAN of 10 digits at a bank with a code of 3. Source: Central Bank of Nigeria. */
export function isNuban(bank_code: string, number: string): boolean {
  return number[9] === tens(bank_code + number, NUBAN)
}
