// Suggests the known name closest to an unknown one. Pure.

/**
 * The known name at the smallest edit distance, ignoring case; undefined when every distance
 * exceeds a third of the longer name.
 */
export function nearestOf(written: string, known: Iterable<string>): string | undefined {
  let nearest: string | undefined
  let least = Number.POSITIVE_INFINITY
  for (const name of known) {
    const distance = distanceOf(written.toLowerCase(), name.toLowerCase())
    const max_distance = Math.max(1, Math.floor(Math.max(written.length, name.length) / 3))
    if (distance > max_distance || distance >= least) continue
    nearest = name
    least = distance
  }
  return nearest
}

/** The end of a message: `; did you mean chats?`, or ''. */
export function didYouMean(written: string, known: Iterable<string>): string {
  const nearest = nearestOf(written, known)
  return nearest === undefined ? '' : `; did you mean ${nearest}?`
}

/** The end of a sentence: `; did you mean chats?`, or a full stop. */
export function hintOrStop(written: string, known: Iterable<string>): string {
  return didYouMean(written, known) || '.'
}

/** Optimal string alignment distance: swapped neighbours are one edit. */
function distanceOf(a: string, b: string): number {
  let two_above: number[] = []
  let above = Array.from({ length: b.length + 1 }, (_, j) => j)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1]
      const changed = (above[j - 1] ?? 0) + (same ? 0 : 1)
      const least = Math.min((above[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, changed)
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      row.push(swapped ? Math.min(least, (two_above[j - 2] ?? 0) + 1) : least)
    }
    two_above = above
    above = row
  }
  return above[b.length] ?? 0
}
