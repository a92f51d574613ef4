export { type CallbackUrls, callbackUrls } from './callback-urls.ts'
export { type CallbackEvent, type CertificationCompleted, type FollowUpClaimed, parseEvent } from './event.ts'
export {
  type CallbackHandler,
  type CallbackHandlerOptions,
  createCallbackHandler,
  type ReceivedEvent,
  type RefusedDelivery,
} from './handler.ts'
export type { Inbox, InboxRow } from './inbox.ts'
