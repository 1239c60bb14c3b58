// Shows the API calls of a page as curl and as TypeScript, so that its reader can make them too.
// The TypeScript client has no methods for operators: their calls are shown as curl alone.

import { curl } from '../docs-site/snippet/curl.ts'
import { typescript } from '../docs-site/snippet/typescript.ts'
import { type Html, html } from '../values/text/html.ts'
import { bodyText, type Call, indented } from './api.ts'

/** The folded section at the end of a page; '' without calls. */
export function callsOf(calls: readonly Call[], origin: string): Html | '' {
  if (calls.length === 0) return ''
  return html`<details class="calls"><summary>How to do this with the API</summary>
${calls.map(call => callSection(call, origin))}</details>`
}

function callSection({ method: verb, answer, ...call }: Call, origin: string): Html {
  const sent = { ...call, verb, origin }
  const { body } = call
  const program = typescript(sent)
  return html`<section><h3><code>${verb} ${call.path}</code></h3>
${block('curl', curl(sent, body && bodyText(body)))}
${program === undefined ? '' : block('TypeScript', program)}
${isOneObject(answer) ? block('Answer', indented(answer)) : ''}</section>`
}

function block(name: string, text: string): Html {
  return html`<figure class="code"><figcaption>${name}</figcaption>
<pre tabindex="0">${text}</pre></figure>`
}

/** Whether the answer is one object. A list is not shown: it would double the page's length. */
function isOneObject(answer: string): boolean {
  return answer.startsWith('{') && !answer.includes('"object":"list"')
}
