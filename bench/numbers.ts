// Medians and their spread. Pure.

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = Math.floor(sorted.length / 2)
  const upper = sorted[middle] ?? Number.NaN
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2
}

/** `6.1 (5.8–6.4)`: the median, and the least and the most there was. */
export function spread(values: readonly number[]): string {
  const text = median(values).toFixed(1)
  if (values.length < 2) return text
  return `${text} (${Math.min(...values).toFixed(1)}–${Math.max(...values).toFixed(1)})`
}
