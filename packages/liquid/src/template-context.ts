/** What the texts of an automation may show besides the user. */
export type TemplateContext = {
  /** The event that began the run; null: none did. */
  readonly event: TemplateEvent | null;
  readonly run: TemplateRun;
};

export type TemplateEvent = {
  /** Of its definition. */
  readonly name: string;
  /** Milliseconds. */
  readonly time: number;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly revenue: number | null;
  readonly currency: string | null;
};

export type TemplateRun = {
  readonly id: string;
  /** Milliseconds. */
  readonly enteredAt: number;
};
