// Ordinary names, which belong to no listed party: the most usual given and family names of many
// countries, written down before the first measurement, and names of companies.
import { pick, type Random } from './random.ts'

/** Given names, then family names, of one language or country. */
type Names = readonly [given: readonly string[], family: readonly string[]]

const words = (text: string) => text.trim().split(/\s+/)

const PEOPLE: readonly Names[] = [
  [
    words(`James Mary John Patricia Robert Jennifer Michael Linda William Elizabeth David Barbara
      Richard Susan Joseph Jessica Thomas Sarah Charles Karen Christopher Nancy Daniel Lisa Matthew
      Betty Anthony Margaret Mark Sandra Oliver Amelia Harry Isla George Ava Noah Emily`),
    words(`Smith Johnson Williams Brown Jones Miller Davis Wilson Anderson Thomas Taylor Moore
      Jackson Martin Lee Thompson White Harris Clark Lewis Robinson Walker Young Allen King Wright
      Scott Hill Green Adams Baker Nelson Carter Mitchell Roberts Turner Phillips Campbell Evans`),
  ],
  [
    words(`María José Juan Carmen Antonio Ana Manuel Isabel Francisco Laura Luis Cristina Miguel
      Marta Carlos Lucía Pedro Paula Javier Elena Rafael Sofía Fernando Valentina Diego Camila
      Alejandro Daniela Andrés Gabriela Jorge Mariana Ricardo Verónica Eduardo Patricia`),
    words(`García Rodríguez González Fernández López Martínez Sánchez Pérez Gómez Martín Jiménez Ruiz
      Hernández Díaz Moreno Muñoz Álvarez Romero Alonso Gutiérrez Navarro Torres Domínguez Vázquez
      Ramos Gil Ramírez Serrano Blanco Molina Morales Suárez Ortega Delgado Castro Ortiz Rubio`),
  ],
  [
    words(`João Maria António Ana José Francisca Pedro Beatriz Paulo Juliana Lucas Fernanda Gabriel
      Camila Rafael Letícia Bruno Larissa Felipe Amanda Gustavo Mariana Thiago Bruna Rodrigo Aline
      Marcelo Patrícia Leonardo Vanessa Vinícius Carolina`),
    words(`Silva Santos Oliveira Souza Rodrigues Ferreira Alves Pereira Lima Gomes Costa Ribeiro
      Martins Carvalho Almeida Lopes Soares Fernandes Vieira Barbosa Rocha Dias Nascimento Andrade
      Moreira Nunes Marques Machado Mendes Freitas Cardoso Ramos Gonçalves Santana Teixeira`),
  ],
  [
    words(`Marie Jean Pierre Camille Michel Nathalie Philippe Isabelle Nicolas Sophie Julien Céline
      Thomas Léa Antoine Manon Guillaume Chloé François Émilie Laurent Aurélie Olivier Mathilde
      Sébastien Pauline Maxime Juliette Vincent Charlotte`),
    words(`Martin Bernard Dubois Thomas Robert Richard Petit Durand Leroy Moreau Simon Laurent Lefebvre
      Michel Garcia David Bertrand Roux Vincent Fournier Morel Girard André Lefèvre Mercier Dupont
      Lambert Bonnet François Martinez Legrand Garnier Faure Rousseau Blanc Guérin`),
  ],
  [
    words(`Peter Ursula Michael Monika Thomas Petra Andreas Elisabeth Wolfgang Sabine Claus Renate
      Jürgen Helga Stefan Karin Hans Brigitte Christian Ingrid Uwe Erika Werner Andrea Lukas Hannah
      Leon Mia Finn Lea Jonas Anna Felix Lena Maximilian Julia`),
    words(`Müller Schmidt Schneider Fischer Weber Meyer Wagner Becker Schulz Hoffmann Schäfer Koch
      Bauer Richter Klein Wolf Schröder Neumann Schwarz Zimmermann Braun Krüger Hofmann Hartmann
      Lange Schmitt Werner Krause Meier Lehmann Schmid Schulze Maier Köhler Herrmann König`),
  ],
  [
    words(`Giuseppe Maria Giovanni Anna Antonio Giulia Mario Rosa Luigi Angela Francesco Giovanna
      Vincenzo Teresa Pietro Lucia Salvatore Carmela Carlo Caterina Franco Francesca Domenico Alessia
      Marco Chiara Andrea Martina Luca Elisa Matteo Federica`),
    words(`Rossi Russo Ferrari Esposito Bianchi Romano Colombo Ricci Marino Greco Bruno Gallo Conti
      De Luca Costa Giordano Mancini Rizzo Lombardi Moretti Barbieri Fontana Santoro Mariani Rinaldi
      Caruso Ferrara Galli Martini Leone Longo Gentile Martinelli Vitale`),
  ],
  [
    words(`Piotr Anna Krzysztof Katarzyna Andrzej Małgorzata Tomasz Agnieszka Jan Barbara Paweł Ewa
      Michał Krystyna Marcin Elżbieta Stanisław Zofia Jakub Monika Adam Joanna Łukasz Magdalena
      Zbigniew Aleksandra Jerzy Natalia`),
    words(`Nowak Kowalski Wiśniewski Wójcik Kowalczyk Kamiński Lewandowski Zieliński Szymański
      Woźniak Dąbrowski Kozłowski Mazur Jankowski Kwiatkowski Wojciechowski Krawczyk Kaczmarek
      Piotrowski Grabowski Zając Pawłowski Michalski Król Wieczorek Jabłoński Wróbel Majewski`),
  ],
  [
    words(`Jan Johanna Cornelis Maria Hendrik Anna Willem Elisabeth Pieter Sanne Daan Emma Lars Erik
      Karin Anders Eva Johan Kristina Nils Birgitta Sven Marit Ole Ingrid Mette Søren Kirsten Jens
      Hanna Mikko Aino Juhani Liisa`),
    words(`Jansen Bakker Visser Smit Meijer Mulder Bos Vos Peters Hendriks Dekker Dijkstra Andersson
      Johansson Karlsson Nilsson Eriksson Larsson Olsson Persson Hansen Olsen Larsen Nielsen Jensen
      Pedersen Kristensen Korhonen Virtanen Mäkinen Nieminen Hämäläinen`),
  ],
  [
    words(`Mehmet Fatma Mustafa Ayşe Ahmet Emine Ali Hatice Hüseyin Zeynep Hasan Elif İbrahim Meryem
      İsmail Şerife Osman Zehra Yusuf Sultan Murat Hanife Ömer Merve Ramazan Havva Halil Özlem
      Süleyman Gülsüm Emre Büşra`),
    words(`Yılmaz Kaya Demir Şahin Çelik Yıldız Yıldırım Öztürk Aydın Özdemir Arslan Doğan Kılıç Aslan
      Çetin Kara Koç Kurt Özkan Şimşek Polat Korkmaz Özcan Çakır Erdoğan Yavuz Can Acar Şen Aktaş
      Güler Yalçın Güneş Bozkurt`),
  ],
  [
    words(`Mohammed Fatima Ahmed Aisha Ali Mariam Omar Khadija Hassan Zainab Youssef Nour Ibrahim Layla
      Khaled Salma Mahmoud Yasmin Abdullah Rania Mustafa Hana Tariq Amina Samir Dina Karim Huda Bilal
      Sara Rashid Noura Faisal Reem`),
    words(`Hassan Ibrahim Ahmed Ali Mahmoud Saleh Khalil Mansour Nasser Haddad Khoury Hamdan Darwish
      Najjar Saad Farah Qasim Suleiman Awad Shehadeh Al-Masri Al-Harbi Al-Otaibi Al-Shehri Al-Ghamdi
      Al-Maktoum Al-Najjar El-Sayed Ben-Ali Bennani Benali Cherif Zidan Said`),
  ],
  [
    words(`Reza Zahra Mohammad Fatemeh Ali Maryam Hossein Leila Mehdi Sara Amir Narges Saeed Nasrin
      Hamid Parisa Majid Shirin Farhad Mina Behrouz Azadeh Kamran Niloufar Arash Laleh`),
    words(`Mohammadi Hosseini Ahmadi Karimi Moradi Rezaei Jafari Rahimi Ebrahimi Mousavi Hashemi
      Sadeghi Ghasemi Heidari Abbasi Akbari Nazari Amiri Kazemi Bagheri Tehrani Farahani Shirazi
      Esfahani Rostami Salehi Zamani`),
  ],
  [
    words(`Muhammad Ayesha Ahmed Fatima Imran Sana Usman Hina Bilal Sadia Asif Nadia Kashif Saima
      Faisal Rabia Zahid Amna Tariq Bushra Hamza Mehwish Shahid Nazia Waqas Iqra Adnan Rubina`),
    words(`Khan Ahmed Hussain Malik Iqbal Butt Chaudhry Sheikh Qureshi Siddiqui Raza Shah Mirza Akhtar
      Javed Hashmi Ansari Abbasi Baig Bhatti Awan Mughal Rehman Aslam Anwar Farooq Mahmood Naqvi`),
  ],
  [
    words(`Rahul Priya Amit Pooja Sanjay Neha Rajesh Anjali Vijay Sunita Suresh Kavita Arjun Divya
      Ravi Lakshmi Anil Meena Deepak Rekha Manoj Sneha Ashok Shreya Karthik Ananya Vikram Swati
      Ramesh Geeta Nikhil Aarti`),
    words(`Sharma Verma Gupta Singh Kumar Patel Reddy Nair Iyer Rao Joshi Mehta Shah Desai Kapoor
      Malhotra Chopra Banerjee Mukherjee Chatterjee Das Bose Pillai Menon Naidu Agarwal Mishra Pandey
      Yadav Tiwari Jain Bhatt Kulkarni Patil`),
  ],
  [
    words(`Rahim Nasrin Karim Salma Jahangir Shirin Kamal Rina Habib Taslima Mizan Farzana Rafiq Ruma
      Shafiq Sultana Nazrul Moushumi Tanvir Sumaiya Arif Nusrat Sohel Tania`),
    words(`Rahman Islam Hossain Ahmed Akter Khatun Begum Uddin Miah Chowdhury Sarkar Haque Alam Khan
      Molla Sikder Talukder Biswas Roy Mondal Bhuiyan Kabir Hasan Mia`),
  ],
  [
    words(`Wei Fang Min Jing Lei Yan Qiang Li Jun Yang Ming Xiaoyan Jie Hui Tao Ping Gang Xiuying
      Xiaoming Yuhan Zihan Haoran Yutong Jiahao Meiling Guoqiang Jianhua Xiaoli Wenjie Shufen`),
    words(`Wang Li Zhang Liu Chen Yang Huang Zhao Wu Zhou Xu Sun Ma Zhu Hu Guo He Lin Gao Luo Zheng
      Liang Xie Tang Han Cao Deng Feng Peng Zeng Xiao Tian Dong Pan Yuan Jiang Cai Yu`),
  ],
  [
    words(`Anh Linh Hoa Minh Lan Tuan Huong Dung Mai Hung Thao Nam Hien Long Trang Quang Ngoc Duc
      Phuong Khanh Thanh Son Yen Hai`),
    words(
      `Nguyen Tran Le Pham Hoang Huynh Phan Vu Vo Dang Bui Do Ho Ngo Duong Ly Dinh Trinh Lam Mai`,
    ),
  ],
  [
    words(`Maria Jose Juan Angelica Mark Joy John Grace Michael Kristine Jerome Michelle Christian
      Princess Angelo Rowena Rodel Maricel Arnel Jocelyn Ramil Lourdes Rogelio Analyn Budi Siti Agus
      Dewi Andi Sri Eko Wati Joko Putri Rizky Ayu`),
    words(`Santos Reyes Cruz Bautista Ocampo Garcia Mendoza Torres Tomas Andrada Castillo Flores
      Villanueva Ramos Dela-Cruz Aquino Navarro Salazar Mercado Dimaculangan Santoso Wijaya Susanto
      Setiawan Hidayat Saputra Nugroho Pratama Kusuma Lestari Wibowo Siregar Nasution`),
  ],
  [
    words(`Haruto Yui Sota Hina Yuto Aoi Ren Sakura Hiroshi Keiko Takashi Yoko Kenji Akiko Kazuo Emi
      Daiki Naoko Shota Misaki Min-jun Seo-yeon Ji-hoon Ha-eun Sung-ho Young-hee Hyun-woo Mi-kyung
      Dong-hyun Ji-woo Jae-won Soo-jin`),
    words(`Sato Suzuki Takahashi Tanaka Watanabe Ito Yamamoto Nakamura Kobayashi Kato Yoshida Yamada
      Sasaki Yamaguchi Matsumoto Inoue Kimura Hayashi Kim Lee Park Choi Jung Kang Cho Yoon Jang Lim
      Han Oh Seo Shin Kwon Hwang`),
  ],
  [
    words(`Chinedu Ngozi Emeka Chioma Oluwaseun Funmilayo Tunde Yetunde Ibrahim Aminat Musa Hauwa
      Obinna Adaeze Kayode Folake Kwame Akosua Kofi Abena Yaw Ama Kwabena Efua Wanjiru Kamau Njeri
      Otieno Achieng Kipchoge Wambui Mwangi Abebe Tigist Dawit Hiwot`),
    words(`Okafor Okonkwo Adeyemi Adebayo Balogun Eze Nwosu Obi Ogunleye Bello Abubakar Danjuma Mensah
      Owusu Boateng Asante Osei Appiah Mwangi Kamau Otieno Odhiambo Kariuki Njoroge Wanjala Mutua
      Tesfaye Bekele Haile Girma Dlamini Nkosi Moyo Ndlovu Banda Phiri Traoré Diallo Diop Ndiaye`),
  ],
  [
    words(`Aleksandr Elena Sergey Olga Dmitry Natalia Andrey Tatiana Aleksey Irina Ivan Svetlana Mikhail
      Anna Vladimir Ekaterina Nikolay Maria Oleg Yulia Pavel Anastasia Oleksandr Oksana Andriy Iryna
      Mykola Halyna Taras Lyudmyla Petr Jana Tomáš Lucie`),
    words(`Ivanov Smirnov Kuznetsov Popov Vasiliev Petrov Sokolov Mikhailov Novikov Fedorov Morozov
      Volkov Alekseev Lebedev Semenov Egorov Pavlov Kozlov Stepanov Nikolaev Shevchenko Bondarenko
      Kovalenko Tkachenko Kravchenko Oliynyk Melnyk Koval Novák Svoboda Dvořák Popescu Ionescu`),
  ],
]

const TRADES = words(`Consulting Logistics Software Bakery Textiles Design Foods Electric Plumbing
  Translations Media Architects Cleaning Printing Farms Coffee Travel Dental Furniture Garments
  Solar Security Marketing Accounting Fisheries Bikes Trading Export Shipping Construction`)
const COINED =
  words(`Northwind Bluebird Sunrise Harbour Evergreen Silverline Redwood Brightside Cedar
  Horizon Riverside Summit Pioneer Atlas Aurora Delta Nova Orion Phoenix Polaris Vertex Zenith
  Lotus Maple Granite Copper Amber Coral Meridian Keystone`)
const FORMS = words('Ltd GmbH SA SARL Inc LLC BV SpA Oy AB Pvt-Ltd Co-Ltd Pty-Ltd Sdn-Bhd Lda')

export interface OrdinaryName {
  readonly kind: 'person' | 'organisation'
  readonly name: string
}

/** One in seven is a company. A person's names come from a random entry of PEOPLE. */
export function ordinaryName(random: Random): OrdinaryName {
  if (random() < 1 / 7) return { kind: 'organisation', name: company(random) }
  const [given, family] = pick(random, PEOPLE)
  const names = [pick(random, given)]
  if (random() < 0.35) names.push(pick(random, given))
  names.push(pick(random, family))
  if (random() < 0.15) names.push(pick(random, family))
  return { kind: 'person', name: names.join(' ') }
}

function company(random: Random): string {
  const [, family] = pick(random, PEOPLE)
  const own = random() < 0.5 ? pick(random, COINED) : pick(random, family)
  const words = [own, pick(random, TRADES)]
  if (random() < 0.3) words.splice(1, 0, random() < 0.5 ? 'International' : 'Global')
  return `${words.join(' ')} ${pick(random, FORMS).replace('-', ' ')}`
}
