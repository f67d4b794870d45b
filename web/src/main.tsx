import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { queryClient } from './api/query-client.ts';
import { router } from './router.tsx';
import { applyTheme } from './layout/theme.ts';
import { Toasts } from './ui/toast.tsx';
import './styles/fonts.css';
import './styles/tokens.css';
import './styles/base.css';
import './styles/layout.css';
import './styles/controls.css';
import './styles/code.css';
import './styles/pickers.css';
import './styles/components.css';
import './styles/accounts.css';
import './styles/compose.css';
import './styles/conditions.css';
import './styles/automations.css';
import './styles/analytics.css';
import './styles/funnels.css';
import './styles/tables.css';
import './styles/devices.css';

applyTheme();
const root = document.querySelector('#root');
if (root === null) throw new Error('index.html has no #root element.');
createRoot(root).render(
  <StrictMode>
    <QueryClientProvider client={queryClient}>
      <RouterProvider router={router} />
      <Toasts />
    </QueryClientProvider>
  </StrictMode>,
);
