import { avoidedByFolder, avoidedInAll, documents } from './prose.ts';

/** `npm run prose`: how long paragraphs and sentences are, and how often avoided words occur. */
const line = (...cells: readonly (string | number)[]): void => {
  process.stdout.write(
    `${cells.map((cell, index) => (index === 0 ? String(cell).padEnd(46) : String(cell).padStart(12))).join('')}\n`,
  );
};

line('document', 'paragraphs', 'median chars', 'words/sent.');
for (const { path, paragraphs, medianParagraph, wordsPerSentence } of documents())
  line(path, paragraphs, medianParagraph, wordsPerSentence.toFixed(1));

process.stdout.write('\n');
line('avoided words in', 'comments', 'texts', 'documents');
for (const [folder, { comments, texts, documents: inDocuments }] of avoidedByFolder())
  line(folder, comments, texts, inDocuments);
const all = avoidedInAll();
line('all', all.comments, all.texts, all.documents);
