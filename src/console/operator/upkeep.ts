// When the books were last proved, and when a backup was last taken, with their age.
import { type Html, html } from '../../html.ts'
import { age, state, time } from '../show.ts'
import type { Visit } from '../visit.ts'
import type { UpkeepRun } from './objects.ts'

const KINDS = [
  ['verify', 'The books were proved', 'corridor verify'],
  ['backup', 'A backup was taken', 'corridor backup'],
] as const

export async function upkeepOf(visit: Visit): Promise<Html> {
  const { results } = await visit.api.list<UpkeepRun>('/v3/operator/upkeep')
  const now = new Date().toISOString()
  return html`<h2>Upkeep</h2><ul class="plain">${KINDS.map(([kind, what, command]) => {
    const last = results.find(run => run.kind === kind)
    if (last === undefined) {
      return html`<li>${what}: never. Run <code>${command}</code> on the machine.</li>`
    }
    const { finished_at, well, told } = last
    return html`<li>${what} ${age(finished_at, now)} ago, ${time(finished_at)}:
${state(well ? 'in order' : 'not in order')} ${told}</li>`
  })}</ul>`
}
