import type { BounceClass } from '@tidings/contracts/push/bounces';

/**
 * What a code or a phrase of a mail server means. With both, both must be there. Phrases are in
 * lower case; an answer's addresses, host names and codes are removed before the comparison.
 */
export type BounceRule = {
  readonly class: BounceClass;
  readonly codes?: readonly string[];
  readonly phrases?: readonly string[];
  /** Who says so. */
  readonly source: string;
};

export const RFC_3463 = 'RFC 3463 and the IANA registry of SMTP enhanced status codes';
export const GMAIL = 'Gmail SMTP errors and codes: support.google.com/a/answer/3726730';
export const YAHOO =
  'Yahoo: senders.yahooinc.com/smtp-error-codes, help.yahoo.com/kb/SLN3444; smtp.codes/yahoo';
export const MICROSOFT =
  'Microsoft: support.microsoft.com, NDR error code 550 5.4.1; learn.microsoft.com, NDRs in Exchange Online';
export const QQ = 'QQ Mail: service.mail.qq.com, bounce messages; smtp.codes/qq';
export const GMX =
  'GMX Postmaster: postmaster.gmx.com/en/error-messages, newsroom.gmx.net/2017/09/28';
export const YANDEX =
  'Yandex Mail Help: yandex.com/support/mail/bounces/yandex.html and other.html, answers of its own and of others';
export const IONOS =
  'IONOS Help: ionos.com/help/email, Error messages caused by undeliverable email';
/** Of T-Online, GMX, Web.de, Freenet, AOL, Yahoo, Hotmail, CompuServe, Lycos and others. */
export const SITEPACKAGE =
  'sitepackage.de, Typische Fehlermeldungen bei Unzustellbarkeit: answers of German and large providers';
export const POBOX = 'pobox.com/bounce-common.mhtml: answers of large providers';
/** For forms that no provider describes. Bounces that others received, with their meaning. */
export const COLLECTION = 'Collection of bounces: github.com/sisimai/set-of-emails';
