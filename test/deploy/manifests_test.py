"""The files that run the demo in containers. Nothing is pulled and no cluster is at hand here, so this checks what can be: that they are of
the right form, that names, ports, images and paths agree with each other, and that the programs take the flags.
"""
import argparse
import pathlib
import re
import signal
import subprocess
import sys
import unittest

import yaml

from metric_rules import DEPLOY, ROOT

DOCKERFILE = (DEPLOY / 'Dockerfile').read_text()
COMPOSE = yaml.safe_load((DEPLOY / 'compose' / 'compose.yaml').read_text())
KUSTOMIZATION = yaml.safe_load((DEPLOY / 'kustomization.yaml').read_text())
PROMETHEUS = yaml.safe_load((DEPLOY / 'prometheus' / 'prometheus.yml').read_text())
OBJECTS = [document for path in KUSTOMIZATION['resources'] for document in yaml.safe_load_all((DEPLOY / path).read_text())]
API_VERSIONS = {'Deployment': 'apps/v1', 'Service': 'v1'}
# What is installed in any Debian.
BASE_PACKAGES = {'libc6', 'libstdc++6', 'libgcc-s1'}
BY_DEPENDENCY = {'libgrpc29'}  # of libgrpc++1.51
WAIT = 60  # seconds; dpkg reads the lists of all packages


def of_kind(kind):
    return {each['metadata']['name']: each for each in OBJECTS if each['kind'] == kind}


def container(name):
    return of_kind('Deployment')[name]['spec']['template']['spec']['containers'][0]


def port_of(command, flag):
    return int(command[command.index(flag) + 1].rsplit(':', 1)[1])


def commands():
    """The programs of ours with their flags, from both kinds of files."""
    for name in ('fault-server', 'client'):
        yield name, COMPOSE['services'][name]['command']
        yield name, container(name)['command'] + container(name)['args']


class ComposeTest(unittest.TestCase):
    def test_services_have_an_image_and_know_each_other(self):
        services = COMPOSE['services']
        self.assertEqual(set(services), {'fault-server', 'client', 'prometheus', 'grafana'})
        for name, service in services.items():
            self.assertRegex(service['image'], r'^recloser-demo$|^[\w/]+:v?\d+\.\d+\.\d+$', 'a version, so that it is known what was tried')
            self.assertLessEqual(set(service.get('depends_on', ())), set(services), name)

    def test_what_is_mounted_is_in_the_tree(self):
        for name, service in COMPOSE['services'].items():
            for volume in service.get('volumes', ()):
                source, _, mode = volume.split(':')
                self.assertTrue((DEPLOY / 'compose' / source).exists(), volume)
                self.assertEqual(mode, 'ro', name)
        build = COMPOSE['services']['fault-server']['build']
        self.assertEqual((DEPLOY / 'compose' / build['context']).resolve(), ROOT)
        self.assertTrue((ROOT / build['dockerfile']).exists())

    def test_ports_are_open_to_this_machine_only(self):
        for service in COMPOSE['services'].values():
            for port in service.get('ports', ()):
                self.assertRegex(port, r'^127\.0\.0\.1:(\d+):\1$')


class KubernetesTest(unittest.TestCase):
    def test_objects_have_what_the_api_server_asks_for(self):
        self.assertEqual((KUSTOMIZATION['apiVersion'], KUSTOMIZATION['kind']), ('kustomize.config.k8s.io/v1beta1', 'Kustomization'))
        for each in OBJECTS:
            with self.subTest(kind=each['kind'], name=each['metadata']['name']):
                self.assertEqual(each['apiVersion'], API_VERSIONS[each['kind']])
                self.assertRegex(each['metadata']['name'], r'^[a-z]([a-z0-9-]*[a-z0-9])?$')
                self.assertLessEqual({'metadata', 'spec', 'apiVersion', 'kind'}, set(each))
        for name, deployment in of_kind('Deployment').items():
            template = deployment['spec']['template']
            self.assertLessEqual(deployment['spec']['selector']['matchLabels'].items(), template['metadata']['labels'].items(), name)
            for each in template['spec']['containers']:
                self.assertLessEqual({'name', 'image', 'ports', 'readinessProbe', 'resources', 'securityContext'}, set(each), name)
                self.assertIn(each['readinessProbe']['httpGet']['port'], [port['name'] for port in each['ports']], name)

    def test_services_lead_to_pods(self):
        for name, service in of_kind('Service').items():
            template = of_kind('Deployment')[name]['spec']['template']
            self.assertLessEqual(service['spec']['selector'].items(), template['metadata']['labels'].items(), name)
            ports = {port['name']: port['containerPort'] for port in container(name)['ports']}
            for port in service['spec']['ports']:
                self.assertEqual(port['port'], ports[port['targetPort']], name)

    def test_volumes_are_mounted_and_made(self):
        made = {generated['name'] for generated in KUSTOMIZATION['configMapGenerator']}
        for name, deployment in of_kind('Deployment').items():
            pod = deployment['spec']['template']['spec']
            volumes = {volume['name']: volume['configMap']['name'] for volume in pod.get('volumes', ())}
            self.assertLessEqual(set(volumes.values()), made, name)
            self.assertEqual({mount['name'] for mount in pod['containers'][0].get('volumeMounts', ())}, set(volumes), name)
        for generated in KUSTOMIZATION['configMapGenerator']:
            for path in generated['files']:
                self.assertTrue((DEPLOY / path).exists(), path)

    def test_is_the_demo_of_compose(self):
        for name, service in COMPOSE['services'].items():
            self.assertEqual(container(name)['image'], service['image'])
            self.assertEqual(container(name).get('command', []) + container(name).get('args', []), service.get('command', []))
            environment = {variable['name']: variable['value'] for variable in container(name).get('env', ())}
            self.assertEqual(environment, service.get('environment', {}))


class AgreementTest(unittest.TestCase):
    """Of ports and names between programs, Prometheus and Grafana."""

    def test_prometheus_scrapes_where_the_programs_serve(self):
        serve = {'%s:%d' % (name, port_of(command, '--metrics')) for name, command in commands()} | {'localhost:9090'}
        scraped = {target for job in PROMETHEUS['scrape_configs'] for config in job['static_configs'] for target in config['targets']}
        self.assertEqual(scraped, serve)
        for path in PROMETHEUS['rule_files']:
            self.assertTrue((DEPLOY / 'prometheus' / path).exists())

    def test_the_client_calls_where_the_service_listens(self):
        for name, command in commands():
            if name == 'client':
                self.assertEqual(command[command.index('--target') + 1],
                                 'dns:///fault-server:%d' % port_of(COMPOSE['services']['fault-server']['command'], '--listen'))

    def test_pods_open_the_ports_that_their_programs_serve(self):
        opened = {name: {port['name']: port['containerPort'] for port in container(name)['ports']} for name in ('fault-server', 'client')}
        service = COMPOSE['services']['fault-server']['command']
        self.assertEqual(opened['fault-server'], {'grpc': port_of(service, '--listen'), 'metrics': port_of(service, '--metrics')})
        self.assertEqual(opened['client'], {'metrics': port_of(COMPOSE['services']['client']['command'], '--metrics')})

    def test_grafana_finds_prometheus_and_the_dashboard(self):
        provisioning = DEPLOY / 'grafana' / 'provisioning'
        source = yaml.safe_load((provisioning / 'datasources' / 'prometheus.yml').read_text())['datasources'][0]
        self.assertEqual((source['type'], source['url'], source['isDefault']), ('prometheus', 'http://prometheus:9090', True))
        folder = yaml.safe_load((provisioning / 'dashboards' / 'recloser.yml').read_text())['providers'][0]['options']['path']
        mounts = [volume.split(':')[1] for volume in COMPOSE['services']['grafana']['volumes']]
        self.assertIn(folder + '/recloser.json', mounts)
        self.assertIn(folder, [mount['mountPath'] for mount in container('grafana')['volumeMounts']])


class ImageTest(unittest.TestCase):
    COPIES = re.findall(r'^COPY --from=build (.+) (\S+)$', DOCKERFILE, re.MULTILINE)

    def test_has_the_programs_and_the_plans(self):
        programs = [pathlib.PurePath(path).name for sources, target in self.COPIES if target == '/usr/local/bin/'
                    for path in sources.split()]
        for _, command in commands():
            self.assertIn(command[0], programs)
            if '--plan' in command:
                self.assertTrue(self.in_tree(command[command.index('--plan') + 1]).exists())

    @classmethod
    def in_tree(cls, path):
        for sources, target in cls.COPIES:
            if path.startswith(target):
                return ROOT / pathlib.PurePath(sources).relative_to('/src') / path[len(target):]
        raise AssertionError('%s is not in the image' % path)

    def test_has_the_libraries_that_the_programs_are_linked_with(self):
        installed = set(re.search(r'install -y --no-install-recommends (.*) \\', DOCKERFILE).group(1).split())
        libraries = set()
        for program in (args.fault, args.client):
            linked = set(re.findall(r'\(NEEDED\).*\[(.+)\]', run('readelf', '-d', program)))
            found = re.findall(r'(\S+) => (\S+)', run('ldd', program))
            libraries |= {path.removeprefix('/usr') for name, path in found if name in linked}
        # Debian's packages say /usr/lib or /lib, whichever they were made with: half of the names are not found.
        owners = run('dpkg', '-S', *libraries, *('/usr' + path for path in libraries), check=False).splitlines()
        self.assertEqual(len(owners), len(libraries), owners)
        wanted = {line.split(':')[0] for line in owners}
        self.assertLessEqual(wanted - BASE_PACKAGES - BY_DEPENDENCY, installed)

    def test_programs_take_the_flags(self):
        for name, command in dict(commands()).items():  # each is there twice
            flags = [re.sub(r'^0\.0\.0\.0:\d+$', '127.0.0.1:0', flag) for flag in command[1:]]
            flags = [str(self.in_tree(flag)) if flag.startswith('/usr/share/') else flag for flag in flags]
            flags = [flag.replace('dns:///fault-server:50051', '127.0.0.1:1') for flag in flags]
            with self.subTest(program=command[0]):
                self.assertTrue(self.runs({'fault-server': args.fault, 'client': args.client}[name], flags))

    def runs(self, program, flags):
        """Starts a program and ends it once it works: the server says so, the client must still be there after a while."""
        process = subprocess.Popen([program, *flags], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        try:
            if program == args.fault:
                self.assertRegex(process.stdout.readline(), '^listening')
            else:
                with self.assertRaises(subprocess.TimeoutExpired):
                    process.wait(1)
            process.send_signal(signal.SIGINT)
            _, complaints = process.communicate(timeout=WAIT)
            self.assertEqual(process.returncode, 0, complaints)
            return True
        finally:
            if process.poll() is None:
                process.kill()
                process.communicate()


def run(*command, check=True):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, timeout=WAIT, check=check).stdout


if __name__ == '__main__':
    parser = argparse.ArgumentParser()
    for flag in ('client', 'fault'):
        parser.add_argument('--' + flag, required=True)
    args, rest = parser.parse_known_args()
    unittest.main(argv=[sys.argv[0], *rest], verbosity=2)
