// The shop's own worker: what it does itself stays here, notifications of Tidings come with this line.
importScripts('{{baseUrl}}/sdk/v1/sw.js');

self.addEventListener('install', () => self.skipWaiting());
self.addEventListener('activate', (event) => event.waitUntil(self.clients.claim()));
