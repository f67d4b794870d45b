// The shop's own service worker; this line adds the notifications of Tidings.
importScripts('{{baseUrl}}/sdk/v1/sw.js');

self.addEventListener('install', () => self.skipWaiting());
self.addEventListener('activate', (event) => event.waitUntil(self.clients.claim()));
