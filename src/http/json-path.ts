// The path of a value in a body, for people: `payouts[12].amount`. Knows keys and indexes, no JSON.

/** A longer key is cut in a path, so that an answer cannot be made as long as the body. */
const MAX_KEY_IN_PATH = 64

export function presentPath(trail: readonly (string | number)[]): string {
  let path = ''
  for (const step of trail) {
    if (typeof step === 'number') path += `[${step}]`
    else if (step.length > MAX_KEY_IN_PATH || !/^[A-Za-z_]\w*$/.test(step)) path += quoteKey(step)
    else path += path === '' ? step : `.${step}`
  }
  return path
}

/** Cut by code points, so that the path stays well-formed. */
function quoteKey(key: string): string {
  const points = Array.from(key.slice(0, 2 * MAX_KEY_IN_PATH + 1))
  const cut = points.length > MAX_KEY_IN_PATH
  return `[${JSON.stringify(cut ? `${points.slice(0, MAX_KEY_IN_PATH).join('')}…` : key)}]`
}
