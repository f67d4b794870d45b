import type { FrameContent, FrameEvent } from '../../frame/contract.ts';

type FrameEvents = {
  readonly onEvent: (event: FrameEvent) => void;
  /** The frame loaded another document. */ readonly onReplaced: () => void;
};

/**
 * Sends the frame its content and a port. Only the first document of the frame gets the port, so a
 * document that replaces it cannot talk to the page.
 */
export function connectFrame(
  frame: HTMLIFrameElement,
  content: FrameContent,
  { onEvent, onReplaced }: FrameEvents,
): void {
  let port: MessagePort | undefined;
  frame.onload = () => {
    if (port !== undefined) return onReplaced();
    const { port1, port2 } = new MessageChannel();
    port = port1;
    port1.onmessage = ({ data }: MessageEvent<FrameEvent>) => onEvent(data);
    // '*': an opaque origin has no name.
    frame.contentWindow?.postMessage(content, '*', [port2]);
  };
}
