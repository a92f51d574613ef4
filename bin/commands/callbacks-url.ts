import { addCallbackBaseUrl, type CallbackUrlFlags, openCallbackUrls } from '../callbacks/callback-urls.ts'
import type { DefineCommand } from '../context.ts'
import { addManual } from '../help/manual.ts'

export const define: DefineCommand = (command, context) => {
  addManual(addCallbackBaseUrl(command), context, {
    notes: [
      'Makes a URL for --callback-url, or for another program. Its events have the reference; it can be read in the URL, so ' +
        'put no personal data in it. Whoever has the URL can send events for that reference: treat it as a secret. It needs ' +
        'no key and no network.',
    ],
    output: 'the URL.',
    fields: ['url', 'reference'],
    ids: 'the URL',
    examples: [
      'certify callbacks url --callback-base-url https://app.example/certify',
      'certify callbacks url application-42 --json',
    ],
  })
    .argument('[reference]', 'your own identifier of the create; default: a new UUID')
    .action(async (reference: string = crypto.randomUUID(), flags: CallbackUrlFlags) => {
      const url = await (await openCallbackUrls(context, flags)).mint(reference)
      const columns = [{ title: 'URL', value: () => url }]
      await context.output.data({
        value: { url, reference },
        columns,
        rows: [url],
        ids: [url],
        draw: () => `${url}\n`,
      })
    })
}
