// The calls that a page has made, as curl and with the TypeScript client, which has no methods for
// operators. A person who looks at a page learns how to do the same by the API.

import { curl } from '../snippet/curl.ts'
import { typescript } from '../snippet/typescript.ts'
import { type Html, html } from '../text/html.ts'
import { bodyText, type Call, indented } from './api.ts'

/** The calls, folded at the end of each page. */
export function callsOf(calls: readonly Call[], origin: string): Html | '' {
  if (calls.length === 0) return ''
  return html`<details class="calls"><summary>How to do this by the API</summary>
${calls.map(call => oneCall(call, origin))}</details>`
}

function oneCall({ method: verb, answer, ...call }: Call, origin: string): Html {
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

/** Whether an answer has one object; a list would make the page twice as long. */
function isOneObject(answer: string): boolean {
  return answer.startsWith('{') && !answer.includes('"object":"list"')
}
