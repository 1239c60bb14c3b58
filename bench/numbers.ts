// Medians, their spread, and how numbers are written. Pure.

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = Math.floor(sorted.length / 2)
  const upper = sorted[middle] ?? Number.NaN
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2
}

/** `6.10 (5.83–6.44)`: the median, and the least and the most there was. */
export function spread(values: readonly number[]): string {
  const text = readable(median(values))
  if (values.length < 2) return text
  return `${text} (${readable(Math.min(...values))}–${readable(Math.max(...values))})`
}

/** `6,462`, `66.3` or `0.52`: three digits, or all of a whole number. */
export function readable(number: number): string {
  const digits = Math.abs(number) >= 99.95 ? 0 : Math.abs(number) >= 9.995 ? 1 : 2
  return number.toLocaleString('en', {
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  })
}
