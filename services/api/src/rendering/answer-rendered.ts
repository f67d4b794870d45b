import { isHtmlMail, joinMailBody } from '@tidings/templates/compile-mail-body';
import type { MessageToSend } from '@tidings/templates/compile-message';
import { RenderFault } from '@tidings/templates/render-fault';

/** A message for one user as the API answers it, or why there is none. */
export function answerRendered(rendered: MessageToSend | RenderFault) {
  if (rendered instanceof RenderFault)
    return { fault: { code: rendered.code, detail: rendered.detail } };
  const { message, mailBody } = rendered;
  return mailBody === undefined
    ? { message }
    : { message: { ...message, body: joinMailBody(mailBody) }, isHtml: isHtmlMail(mailBody) };
}
