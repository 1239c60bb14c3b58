// Amounts as text with their places, such as "12.50", moved and added as whole numbers.

/** "12.50" as 1250. */
export function minor(amount: string): bigint {
  return BigInt(amount.replace('.', ''))
}

/** 1250 with two places as "12.50". */
export function major(amount: bigint, places: number): string {
  const sign = amount < 0n ? '-' : ''
  const digits = String(amount)
    .replace('-', '')
    .padStart(places + 1, '0')
  if (places === 0) return sign + digits
  return `${sign}${digits.slice(0, -places)}.${digits.slice(-places)}`
}

export function placesOf(amount: string): number {
  return amount.split('.')[1]?.length ?? 0
}

/** The amount with some units of its last place more, or less. */
export function moved(amount: string, units: bigint): string {
  return major(minor(amount) + units, placesOf(amount))
}

/** The sum of two amounts with equally many places. */
export function plus(one: string, other: string): string {
  return moved(one, minor(other))
}
