import { isHtmlMail, joinMailBody } from '@tidings/liquid/compile-mail-body';
import type { MessageToSend } from '@tidings/liquid/compile-message';
import { RenderFault } from '@tidings/liquid/render-fault';

/** A message for one user as the API answers it, or why there is none. */
export function answerRendered(rendered: MessageToSend | RenderFault) {
  if (rendered instanceof RenderFault)
    return { fault: { code: rendered.code, detail: rendered.detail } };
  const { message, mailBody } = rendered;
  return mailBody === undefined
    ? { message }
    : { message: { ...message, body: joinMailBody(mailBody) }, isHtml: isHtmlMail(mailBody) };
}
