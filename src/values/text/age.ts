// Shows times and ages to people. Pure.

/** `2026-10-06 09:30:00Z`; '' for null. */
export function toSecond(instant: string | null): string {
  return instant === null ? '' : `${instant.slice(0, 10)} ${instant.slice(11, 19)}Z`
}

/** The two largest units: `45d 3h`, `12m 5s`. */
export function describeAge(seconds: number): string {
  const parts = [
    [Math.floor(seconds / 86_400), 'd'],
    [Math.floor(seconds / 3600) % 24, 'h'],
    [Math.floor(seconds / 60) % 60, 'm'],
    [seconds % 60, 's'],
  ] as const
  const first = parts.findIndex(([count]) => count > 0)
  if (first === -1 || seconds < 0) return '0s'
  const largest = parts.slice(first, first + 2)
  return largest.map(([count, unit]) => `${count}${unit}`).join(' ')
}
