// A span for each call of the client, and a child of it for each attempt. Attributes hold no candidate, key or link.
import { context, propagation, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api'

/** The options `onRequest` and `hooks` of a client: `new CertifyClient({ baseUrl, apiKey, ...tracing(baseUrl) })`. */
export function tracing(baseUrl, tracer = trace.getTracer('certify-sdk')) {
  const { hostname, port, protocol } = new URL(baseUrl)
  const server = { 'server.address': hostname, 'server.port': Number(port) || (protocol === 'https:' ? 443 : 80) }
  /* By reference: the span of the call, and that of its present attempt. */
  const calls = new Map()

  function callOf({ operation, reference, durationMs = 0 }) {
    const known = calls.get(reference)
    if (known !== undefined) return known
    /* The active span of the caller is its parent. */
    const span = tracer.startSpan(`certify ${operation}`, {
      startTime: Date.now() - durationMs,
      attributes: { 'certify.operation': operation, 'certify.reference': reference },
    })
    const call = { span, attempt: undefined }
    calls.set(reference, call)
    return call
  }

  function startAttempt(event) {
    const call = callOf(event)
    const attributes = {
      'http.request.method': 'POST',
      ...(event.attempt > 1 && { 'http.request.resend_count': event.attempt - 1 }),
      ...server,
    }
    const parent = trace.setSpan(context.active(), call.span)
    call.attempt = tracer.startSpan('POST', { kind: SpanKind.CLIENT, attributes }, parent)
    return call.attempt
  }

  return {
    onRequest(event) {
      const attempt = startAttempt(event)
      const carrier = {}
      /* Without the baggage of the caller: it may hold anything, and the service is somebody else. */
      propagation.inject(trace.setSpan(ROOT_CONTEXT, attempt), carrier)
      const { traceparent, tracestate } = carrier
      return { ...(traceparent && { traceparent }), ...(tracestate && { tracestate }) }
    },
    hooks: {
      onAttempt(event) {
        const call = callOf(event)
        if (call.attempt !== undefined) end(call.attempt, event)
        call.attempt = undefined
      },
      onRetry({ waitMs, reference }) {
        calls.get(reference)?.span.addEvent('retry', { 'certify.wait_ms': waitMs })
      },
      onSettled(event) {
        const { span } = callOf(event)
        span.setAttribute('certify.attempts', event.attempts)
        end(span, event)
        calls.delete(event.reference)
      },
    },
  }
}

function end(span, { status, code, outcome, requestId }) {
  if (status !== undefined) span.setAttribute('http.response.status_code', status)
  if (requestId !== undefined) span.setAttribute('certify.request_id', requestId)
  if (code !== undefined) {
    /* `unknown` and `executed` are the failures after which nothing may be sent again: alert on them. */
    span.setAttributes({ 'error.type': code, 'certify.outcome': outcome })
    span.setStatus({ code: SpanStatusCode.ERROR, message: code })
  }
  span.end()
}
