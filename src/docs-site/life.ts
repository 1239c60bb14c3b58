// The page about a payout's states, from PAYOUT_TRANSITIONS. Pure.
import {
  isFinal,
  PAYOUT_STATUSES,
  PAYOUT_TRANSITIONS,
  type PayoutStatus,
} from '../payouts/states.ts'
import { type Html, html } from '../values/text/html.ts'
import { type Page, pageOf } from './page.ts'

/** The meaning of each state for the maker of the payout. */
const MEANINGS: Readonly<Record<PayoutStatus, string>> = {
  pending_approval: 'People of the account decide about it. The balance is debited.',
  processing: 'The rail pays it, or is about to.',
  requires_action: 'Something is missing: send it by `POST /v3/payout/{id}/action`.',
  compliance_hold: 'The operator looks at it, or its entity waits for its review.',
  succeeded: 'The beneficiary has the money.',
  failed: 'It was not paid. The money is back in the balance.',
  reversed: 'It was paid, and came back. The money is back in the balance.',
}

export function lifePage(): Page {
  const rows = PAYOUT_STATUSES.map(status => {
    const next = PAYOUT_TRANSITIONS[status].map(name => `\`${name}\``).join(', ')
    return `| \`${status}\` | ${MEANINGS[status]} | ${next || 'nothing: it is final'} |`
  })
  const markdown = `# The life of a payout

A payout debits the balance once, when it is made, and ends in one of three states.

| status | means | can become |
| --- | --- | --- |
${rows.join('\n')}

Each step is an event: \`payout.\` and the state. [Webhooks](/docs/webhooks) bring it to you.
\`GET /v3/payout/{id}/timeline\` shows the steps of one payout with their causes.

A payout that \`succeeded\` can still be \`reversed\`: a bank may send money back days later.
Book it when the event comes, and do not take \`succeeded\` for the end.

A \`failed\` or \`reversed\` payout says why in \`failure.code\`.
[Failure codes](/docs/failure-codes) has each code with what to do.
`
  return { ...pageOf('life-of-a-payout', 'Guides', markdown), figure: lifeDrawing() }
}

/** The place of each state in the drawing. Columns from left to right: waits, moves, held, ends. */
const PLACES: Readonly<Record<PayoutStatus, readonly [x: number, y: number]>> = {
  pending_approval: [0, 150],
  processing: [220, 150],
  requires_action: [440, 40],
  compliance_hold: [440, 260],
  succeeded: [680, 90],
  failed: [680, 210],
  reversed: [900, 90],
}
const WIDTH = 160
const HEIGHT = 44

function lifeDrawing(): Html {
  const steps = PAYOUT_STATUSES.flatMap(from => PAYOUT_TRANSITIONS[from].map(to => ({ from, to })))
  return html`<figure class="life" tabindex="0"><svg viewBox="-10 -10 1080 340" role="img"
aria-labelledby="life-title"><title id="life-title">The states of a payout and the steps between
them; the table below has the same.</title>
<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8"
orient="auto-start-reverse"><path d="M0 0 8 4 0 8z"/></marker></defs>
${steps.map(({ from, to }) => arrow(from, to))}${PAYOUT_STATUSES.map(box)}</svg></figure>`
}

function box(status: PayoutStatus): Html {
  const [x, y] = PLACES[status]
  const kind = status === 'succeeded' ? 'good' : isFinal(status) ? 'bad' : 'open'
  return html`<g class="${kind}"><rect x="${x}" y="${y}" width="${WIDTH}" height="${HEIGHT}"
rx="8"/>
<text x="${x + WIDTH / 2}" y="${y + 27}">${status}</text></g>`
}

/** To the near side of the other box, around the boxes between them. */
function arrow(from: PayoutStatus, to: PayoutStatus): Html {
  const [x1, y1] = PLACES[from]
  const [x2, y2] = PLACES[to]
  const middle = HEIGHT / 2
  if (PAYOUT_TRANSITIONS[to].includes(from)) {
    // The two directions are two parallel lines.
    const [startX, endX, shift] = x1 < x2 ? [x1 + WIDTH, x2 - 3, -9] : [x1, x2 + WIDTH + 3, 9]
    return path(`M${startX} ${y1 + middle + shift} L${endX} ${y2 + middle + shift}`)
  }
  const passes = PAYOUT_STATUSES.filter(
    other => PLACES[other][0] > x1 && PLACES[other][0] < x2 && other !== to,
  )
  if (from === 'pending_approval' && passes.length > 0) {
    const [startX, startY] = [x1 + WIDTH / 2, y1 + HEIGHT]
    if (to !== 'failed') {
      return path(`M${startX} ${startY} Q${startX} ${y2 + middle} ${x2 - 3} ${y2 + middle}`)
    }
    const [left, bottom, endX] = [startX - 20, 322, x2 + WIDTH / 2]
    const below = `Q${left} ${bottom} ${startX + 120} ${bottom} L${endX} ${bottom}`
    return path(`M${left} ${startY} ${below} ${endX} ${y2 + HEIGHT + 3}`)
  }
  const bend = (x1 + WIDTH + x2) / 2
  const [y3, y4] = [y1 + middle, y2 + middle]
  return path(`M${x1 + WIDTH} ${y3} C${bend} ${y3} ${bend} ${y4} ${x2 - 3} ${y4}`)
}

function path(d: string): Html {
  return html`<path class="step" d="${d}" marker-end="url(#tip)"/>`
}
